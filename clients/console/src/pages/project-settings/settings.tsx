import './settings.css';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { mayOn } from '../../session/may.ts';
import { ownerName, projectCrumbs } from '../project-crumbs.ts';
import { HandOver } from '../transfers/hand-over.tsx';
import { Deletion } from './deletion.tsx';
import { Names } from './names.tsx';
import { ProjectSettingsDocument } from './settings.graphql.ts';
import type { Project } from './shown-project.ts';

/** What a project is called, and its end. */
export default function ProjectSettingsPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(ProjectSettingsDocument, { project: id });
  const project = answer.data?.project;
  return (
    <Page title="Settings" crumbs={projectCrumbs(project?.organization, project)}>
      <Loaded answer={answer}>{({ project: found }) => found !== null && <Settings project={found} />}</Loaded>
    </Page>
  );
}

function Settings({ project }: { readonly project: Project }) {
  const { projectId, publicId, organization, schemaSlot, createdAt, archivedAt, status, state, tier } = project;
  return (
    <>
      {mayOn(project, 'project:rename') && <Names project={project} />}
      <Section title="Details">
        <Facts
          facts={[
            ['State', <StateBadge key="state" value={state === 'READY' ? status : state} />],
            ['Put away', archivedAt === null ? undefined : <When key="archived" at={archivedAt} />],
            ['Id', <Copied key="id" name="id" text={projectId} />],
            ['Public id', <Copied key="public" name="public id" text={publicId} />],
            ['Schema', <Copied key="schema" name="schema" text={schemaSlot} />],
            [
              'Organization',
              organization === null ? (
                `${ownerName(organization)}: you are no member of the organization that has it.`
              ) : (
                <Link key="org" to={`/orgs/${organization.orgId}`}>
                  {ownerName(organization)}
                </Link>
              ),
            ],
            ['Tier', enumName(tier)],
            ['Created', <When key="made" at={createdAt} />],
          ]}
        />
        {status === 'ARCHIVED' && (
          <p className="quiet">
            The platform admin has put the project away. Its rows are served again once it is reactivated.
          </p>
        )}
      </Section>
      {mayOn(project, 'project:transfer') && <HandOver {...project} />}
      {mayOn(project, 'project:delete') && <Deletion project={project} />}
    </>
  );
}

const Copied = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <span className="copied">
    <code>{text}</code>
    <CopyButton what={name} text={text} isIcon />
  </span>
);
