import './deploys.css';
import { ExternalLink, Rocket, Undo2 } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSettled } from '../../graph/use-settled.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DeployActor } from './deploy-actor.tsx';
import { stepsOf } from './deploy-events.ts';
import { DeployLog } from './deploy-log.tsx';
import { DeployOutcome } from './deploy-outcome.tsx';
import { DeployStatus, isAtWork } from './deploy-status.tsx';
import { authorityOf, canPromote, type DeployProject, kindNames, principalOf, releaseOf } from './deploy-types.ts';
import { DeployDocument, type DeployQuery } from './deploys.graphql.ts';
import { duration } from './duration.ts';
import { Phases } from './phases.tsx';
import { PromoteDialog } from './promote-dialog.tsx';
import { RehearsalOutcome, RehearsePlan } from './rehearsal.tsx';
import { ReleaseChanges } from './release-changes.tsx';
import { useDeployEvents } from './use-deploy-events.ts';

type Deploy = NonNullable<DeployQuery['deployOperation']>;

interface DeployPageProps {
  readonly project: string;
  readonly deploy: string;
}

/** One deploy: how far it has come, what was told of it, and what it changed. */
export default function DeployPage({ project: id, deploy: operation }: DeployPageProps) {
  const answer = useAsk(DeployDocument, { project: id, operation });
  const { events, error } = useDeployEvents(operation, useSettled(answer.again));
  const [dialog, setDialog] = useSearch('dialog', '');
  const project = answer.data?.project;
  // An id leads to any deploy that the member may see, also one of another project.
  const deploy = answer.data?.deployOperation?.projectId === id ? answer.data.deployOperation : undefined;
  // Of one that failed, too: what it would have changed.
  const release = deploy === undefined ? null : releaseOf(deploy);
  const promotable =
    project != null && deploy !== undefined && mayOn(project, 'project:deploys:write') && canPromote(deploy, project);
  useCommands(
    promotable
      ? [
          {
            id: 'promote release',
            name: 'Make this release live',
            icon: Undo2,
            words: 'promote roll back',
            act: () => setDialog('promote'),
          },
        ]
      : [],
  );
  return (
    <Page
      title={deploy === undefined || deploy.kind === 'deploy' ? 'Deployment' : (kindNames[deploy.kind] ?? deploy.kind)}
      crumbs={[...projectCrumbs(project?.organization, project), ['Deployments', `/projects/${id}/deploys`]]}
      lead={deploy !== undefined && project != null && <Standing deploy={deploy} project={project} />}
      actions={
        promotable && (
          <Button variant="primary" icon={Undo2} onPress={() => setDialog('promote')}>
            Make it live
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {() =>
          project == null || deploy === undefined ? (
            answer.error === undefined && (
              <State icon={Rocket} title="Deployment not found">
                The project has none with this id, or you have no access to it.
              </State>
            )
          ) : (
            <>
              <DeployOutcome
                deploy={deploy}
                mayWrite={mayOn(project, 'project:deploys:write')}
                mayRunSql={mayOn(project, 'project:sql')}
              />
              {isPlanned(deploy) && mayOn(project, 'project:deploys:write') && (
                <RehearsePlan project={id} plan={deploy.planId!} />
              )}
              {deploy.rehearsalReport !== null && <RehearsalOutcome report={deploy.rehearsalReport} />}
              {deploy.kind === 'deploy' && (
                <Section title="Progress">
                  <Phases steps={stepsOf(events)} />
                  <ErrorNote error={error} />
                  {events.length === 0 ? (
                    <p className="quiet small">It was planned and not begun yet: its log begins with its commit.</p>
                  ) : (
                    <DeployLog events={events} />
                  )}
                </Section>
              )}
              <DeployFacts deploy={deploy} />
              {release !== null && <ReleaseChanges project={id} release={release} before={deploy.baseReleaseId} />}
            </>
          )
        }
      </Loaded>
      {dialog === 'promote' && promotable && (
        <PromoteDialog project={id} release={deploy.releaseId!} close={() => setDialog('', { replace: true })} />
      )}
    </Page>
  );
}

/** Whether a plan is there that was not committed. */
const isPlanned = ({ kind, status, planId }: Deploy): boolean =>
  kind === 'deploy' && planId !== null && (status === 'planning' || status === 'uploading');

const Standing = ({ deploy, project }: { readonly deploy: Deploy; readonly project: DeployProject }) => (
  <span className="deploy-badges">
    <DeployStatus status={deploy.status} />
    {deploy.releaseId !== null && deploy.releaseId === project.activeRelease?.releaseId && (
      <Badge mood="accent">Live</Badge>
    )}
    <span>
      <When at={deploy.createdAt} />
      {(principalOf(deploy) !== undefined || authorityOf(deploy) !== undefined) && (
        <span className="small">
          {' '}
          by <DeployActor project={project} deploy={deploy} />
        </span>
      )}
    </span>
  </span>
);

function DeployFacts({ deploy }: { readonly deploy: Deploy }) {
  const { operationId, baseReleaseId, createdAt, updatedAt, status } = deploy;
  const site = (deploy.urls as { readonly site?: string } | null)?.site;
  const release = releaseOf(deploy);
  return (
    <Section title="Details">
      <Facts
        facts={[
          ['Site', site === undefined ? undefined : <Outward key="site" url={site} />],
          ['Release', release === null ? undefined : <Copied key="release" name="release" text={release} />],
          ['Made from', baseReleaseId === null ? undefined : <code key="base">{baseReleaseId}</code>],
          ['Deploy', <Copied key="deploy" name="deploy" text={operationId} />],
          ['Began', <When key="began" at={createdAt} exact />],
          ['Took', isAtWork(status) ? undefined : duration(createdAt, updatedAt)],
        ]}
      />
    </Section>
  );
}

const Copied = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <span className="deploy-copied">
    <code>{text}</code>
    <CopyButton what={name} text={text} isIcon />
  </span>
);

const Outward = ({ url }: { readonly url: string }) => (
  <a className="deploy-outward" href={url} target="_blank" rel="noreferrer">
    {url}
    <ExternalLink className="icon" aria-hidden="true" />
  </a>
);
