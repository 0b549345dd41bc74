import { StateBadge } from '../../design/badge.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { capabilityNames } from '../project-sharing/capabilities.ts';
import { Named } from './named.tsx';
import { SharedProjectsDocument } from './organizations.graphql.ts';

/** Projects that a grant opens to the caller, who is no member of their organization. Nothing is shown without any. */
export function SharedProjects() {
  const pages = usePages();
  const answer = useAsk(SharedProjectsDocument, { after: pages.after });
  return (
    <Loaded answer={answer} loading={null}>
      {({ projects }) => {
        const shared = (projects?.edges ?? [])
          .map(({ node }) => node)
          .filter(({ organization }) => organization === null);
        if (shared.length === 0 && pages.after === undefined) return null;
        return (
          <Section title="Shared with you" about="Projects of other organizations, which a grant opens to you.">
            <Table
              label="Shared projects"
              rows={shared}
              keyOf={({ projectId }) => projectId}
              linkOf={({ projectId }) => `/projects/${projectId}`}
              columns={[
                { id: 'name', name: 'Project', grows: true, cell: ({ name }) => <Named name={name} square /> },
                {
                  id: 'may',
                  name: 'You may',
                  cell: ({ grantedCapabilities }) => grantedCapabilities.map((one) => capabilityNames[one]).join(', '),
                },
                { id: 'state', name: 'State', cell: ({ status }) => <StateBadge value={status} /> },
                { id: 'created', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
              ]}
              empty={<p className="quiet">No shared project on this page.</p>}
            />
            <Pager pages={pages} info={projects?.pageInfo} list="shared projects" />
          </Section>
        );
      }}
    </Loaded>
  );
}
