import { Database } from 'lucide-react';
import { bytes, count } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { may } from '../../session/may.ts';
import { Named } from '../organizations/named.tsx';
import { OrganizationProjectListDocument } from './organization.graphql.ts';
import type { OrganizationProps } from './parts.ts';

/** The projects of an organization, newest first. */
export function Projects({ organization: { orgId, role } }: OrganizationProps) {
  const pages = usePages();
  const answer = useAsk(OrganizationProjectListDocument, { org: orgId, after: pages.after });
  useExistingPage(pages, answer.error);
  return (
    <div className="tab-body">
      <Loaded answer={answer}>
        {({ organization }) =>
          organization !== null && (
            <>
              <Table
                label="Projects"
                rows={organization.projects.edges.map(({ node }) => node)}
                keyOf={({ projectId }) => projectId}
                linkOf={({ projectId }) => `/projects/${projectId}`}
                columns={[
                  { id: 'name', name: 'Project', grows: true, cell: ({ name }) => <Named name={name} square /> },
                  {
                    id: 'state',
                    name: 'State',
                    cell: ({ state, status }) => <StateBadge value={state === 'READY' ? status : state} />,
                  },
                  { id: 'requests', name: 'API calls', align: 'end', cell: ({ usage }) => count(usage.apiCalls) },
                  { id: 'storage', name: 'Storage', align: 'end', cell: ({ usage }) => bytes(usage.storageBytes) },
                  { id: 'created', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
                ]}
                empty={
                  <State icon={Database} title="No project yet">
                    A project has a PostgreSQL database of its own, with its rows over REST and GraphQL.{' '}
                    {may(role, 'project:create')
                      ? 'Create the first one with “New project”.'
                      : 'A developer, admin or owner can create one.'}
                  </State>
                }
              />
              <Pager pages={pages} info={organization.projects.pageInfo} list="projects" />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
