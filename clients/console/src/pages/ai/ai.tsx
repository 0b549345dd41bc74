import { Lock, Sparkles } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Meter } from '../../design/meter.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { AiUsageDocument } from './ai.graphql.ts';
import { MakeImage } from './make-image.tsx';
import { ModerateText } from './moderate-text.tsx';
import { TranslateText } from './translate-text.tsx';

/** What a project has used of models, and a place to try them. */
export default function AiPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(AiUsageDocument, { project: id });
  const project = answer.data?.project;
  return (
    <Page
      title="AI"
      lead="Texts that models translate and moderate, and images that they make. Nothing of them is kept."
      crumbs={projectCrumbs(project?.organization, project)}
    >
      {project != null && !mayOn(project, 'project:ai:read') ? (
        <State icon={Lock} title="You cannot see what is used">
          Members of the organization see it.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found, imageOffer }) => {
            if (found === null)
              return (
                <State icon={Sparkles} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              );
            const { active, usedWords, includedWords, billingCycleStart } = found.aiUsage!.translation;
            return (
              <>
                <Section title="Usage" about="Words of translated texts. Moderation is free.">
                  {active ? (
                    <>
                      <div className="meters">
                        <Meter label="Words" used={usedWords} limit={includedWords} />
                      </div>
                      {billingCycleStart !== null && (
                        <p className="quiet small">
                          The cycle of 30 days began <When at={billingCycleStart} />.
                        </p>
                      )}
                    </>
                  ) : (
                    <p className="quiet">
                      The project does not have the add-on for translation. The operator of the platform activates it.
                    </p>
                  )}
                </Section>
                {mayOn(found, 'project:ai:use') && (
                  <>
                    <TranslateText project={id} />
                    <ModerateText project={id} />
                    <MakeImage project={id} price={imageOffer?.priceUsdMicros ?? 0} />
                  </>
                )}
              </>
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}
