import { Building2, Plus, SearchX } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { SearchField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, type Pages, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { organizationName } from '../../frame/names.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { Named } from './named.tsx';
import { NewOrganization } from './new-organization.tsx';
import { OrganizationCountsDocument, OrganizationsDocument, type OrganizationsQuery } from './organizations.graphql.ts';
import { SharedProjects } from './shared-projects.tsx';

type Found = NonNullable<OrganizationsQuery['organizations']>;

/** The caller's organizations, and projects of other organizations that are shared with the caller. */
export default function Organizations() {
  const [created, setCreated] = useSearch('new', '');
  const pages = usePages();
  const answer = useAsk(OrganizationsDocument, { after: pages.after });
  const newOrganization = () => setCreated('organization');
  return (
    <Page
      title="Organizations"
      lead="An organization holds projects and the people and agents who work on them."
      actions={
        mayChange() && (
          <Button variant="primary" icon={Plus} onPress={newOrganization}>
            New organization
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {({ organizations }) => organizations !== null && <List found={organizations} pages={pages} />}
      </Loaded>
      <SharedProjects />
      {created === 'organization' && mayChange() && <NewOrganization close={() => setCreated('', { replace: true })} />}
    </Page>
  );
}

function List({ found: { edges, pageInfo }, pages }: { readonly found: Found; readonly pages: Pages }) {
  const [words, setWords] = useSearch('q', '');
  const counts = useAsk(OrganizationCountsDocument, {}).data?.operatorOverview?.organizations ?? [];
  const countsOf = new Map(counts.map((one) => [one.orgId, one]));
  const wanted = words.trim().toLocaleLowerCase();
  const shown = edges
    .map(({ node }) => node)
    .filter((one) => `${organizationName(one)} ${one.slug ?? ''} ${one.orgId}`.toLocaleLowerCase().includes(wanted));
  const countOf = (orgId: string, what: 'projectCount' | 'memberCount') =>
    countsOf.get(orgId)?.[what].toLocaleString() ?? '–';
  return (
    <>
      {edges.length > 0 && (
        <Toolbar label="Search organizations">
          <div className="toolbar-search">
            <SearchField
              label="Search organizations"
              value={words}
              onChange={(value) => setWords(value, { replace: true })}
            />
          </div>
          <span className="small quiet" role="status">
            {wanted !== '' && `${shown.length} of ${edges.length}`}
          </span>
        </Toolbar>
      )}
      <Table
        label="Organizations"
        rows={shown}
        keyOf={({ orgId }) => orgId}
        linkOf={({ orgId }) => `/orgs/${orgId}`}
        columns={[
          { id: 'name', name: 'Name', wraps: true, cell: (one) => <Named name={organizationName(one)} square /> },
          {
            id: 'role',
            name: 'Your role',
            cell: ({ role }) => role !== null && <StateBadge value={role} mood="plain" />,
          },
          { id: 'state', name: 'State', cell: ({ lifecycleState }) => <StateBadge value={lifecycleState} /> },
          { id: 'tier', name: 'Tier', cell: ({ tier }) => <StateBadge value={tier} mood="plain" /> },
          { id: 'projects', name: 'Projects', align: 'end', cell: ({ orgId }) => countOf(orgId, 'projectCount') },
          { id: 'members', name: 'Members', align: 'end', cell: ({ orgId }) => countOf(orgId, 'memberCount') },
          { id: 'created', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
        ]}
        empty={
          wanted === '' ? (
            <State icon={Building2} title="No organization yet">
              Create one with “New organization”, or ask a member to invite you.
            </State>
          ) : (
            <State icon={SearchX} title="No match">
              No organization on this page has “{words}” in its name, slug or id.
            </State>
          )
        }
      />
      <Pager pages={pages} info={pageInfo} list="organizations" />
    </>
  );
}
