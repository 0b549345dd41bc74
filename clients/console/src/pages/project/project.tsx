import './project.css';
import { useState } from 'react';
import { Badge, enumName, StateBadge } from '../../design/badge.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { Connect } from './connect.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LatestFailures } from './latest-failures.tsx';
import { LatestRequests } from './latest-requests.tsx';
import { Limits } from './limits.tsx';
import { ProjectDocument } from './project.graphql.ts';
import type { Project } from './shown-project.ts';
import { Traffic } from './traffic.tsx';

const dayMs = 86_400_000;

/** The home of a project: how to connect to it, how busy it is, and what went wrong lately. */
export default function ProjectPage({ project: id }: { readonly project: string }) {
  // One moment for as long as the page is open: another one would be another query.
  const [since] = useState(() => new Date(Date.now() - dayMs).toISOString());
  const answer = useAsk(ProjectDocument, { project: id, since });
  const project = answer.data?.project;
  return (
    <Page
      title={project?.name ?? 'Project'}
      crumbs={projectCrumbs(project?.organization)}
      lead={
        project?.organization === null
          ? 'Shared with you: you are no member of the organization that has it.'
          : undefined
      }
      actions={project != null && <Standing project={project} />}
    >
      <Loaded answer={answer}>{({ project: found }) => found !== null && <Home project={found} />}</Loaded>
    </Page>
  );
}

/** Only what is unusual: a project that is ready and active says so in one word. */
function Standing({ project: { state, status, tier } }: { readonly project: Project }) {
  return (
    <>
      {state === 'READY' ? <StateBadge value={status} /> : <StateBadge value={state} />}
      <Badge>{enumName(tier)} tier</Badge>
    </>
  );
}

function Home({ project }: { readonly project: Project }) {
  const { projectId } = project;
  return (
    <>
      {mayOn(project, 'project:schema:read') && <FirstSteps projectId={projectId} />}
      <Connect project={project} />
      <Traffic projectId={projectId} />
      <div className="project-columns">
        <Limits usage={project.usage} />
        <LatestFailures project={project} />
      </div>
      {mayOn(project, 'project:logs:read') && <LatestRequests projectId={projectId} />}
    </>
  );
}
