import { DatabaseZap } from 'lucide-react';
import { useMemo } from 'react';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { Queries } from './queries.tsx';
import './sql.css';
import { SqlProjectDocument, type SqlProjectQuery } from './sql.graphql.ts';

type Project = NonNullable<SqlProjectQuery['project']>;

/** SQL of a project: an editor with tabs, results, plans, saved queries and a history. */
export default function SqlPage({ project }: { readonly project: string }) {
  const answer = useAsk(SqlProjectDocument, { project });
  return (
    <Page title="SQL" crumbs={projectCrumbs(answer.data?.project?.organization, answer.data?.project)} wide>
      <Loaded answer={answer}>
        {({ project: found }) =>
          found != null &&
          (mayOn(found, 'project:sql') ? (
            <Ready project={found} />
          ) : (
            <State icon={DatabaseZap} title="You may not run SQL here">
              Developers, admins and owners of the organization may. A session that only reads may not.
            </State>
          ))
        }
      </Loaded>
    </Page>
  );
}

function Ready({ project }: { readonly project: Project }) {
  const { projectId, tables, expose } = project;
  // The editor keeps its completion while the names stay the same.
  const names = JSON.stringify([
    ...(tables ?? []).map(({ name, columns }) => [name, columns.map((column) => column.name)]),
    ...functionNames(expose?.manifest).map((name) => [name, []]),
  ]);
  const known = useMemo(() => Object.fromEntries(JSON.parse(names)) as Record<string, readonly string[]>, [names]);
  return (
    <Queries key={projectId} project={projectId} tables={known} mayWrite={mayOn(project, 'project:queries:write')} />
  );
}

function functionNames(manifest: Readonly<Record<string, unknown>> | undefined): string[] {
  const rpcs = Array.isArray(manifest?.rpcs) ? manifest.rpcs : [];
  return rpcs.flatMap((one) => (typeof one?.name === 'string' ? [one.name as string] : []));
}
