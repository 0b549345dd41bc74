import { Building2, SearchX } from 'lucide-react';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { SearchField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { usePageSearch, useSearch } from '../../search.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { AdminPage } from './admin-page.tsx';
import { chosen, Filter } from './filters.tsx';
import { OrganizationPanel } from './organization-panel.tsx';
import type { ListedOrganization } from './organization-types.ts';
import { AllOrganizationsDocument, type AllOrganizationsQueryVariables } from './organizations.graphql.ts';
import { compact, full } from './words.ts';

/** Every organization of the installation, and one of them beside the list. */
export default function Organizations() {
  return (
    <AdminPage title="Organizations" lead="Every organization of this installation: its tier, its use, its lease.">
      <List />
    </AdminPage>
  );
}

const states = [
  ['', 'Any state'],
  ['ACTIVE', 'Active'],
  ['PAST_DUE', 'Past due'],
  ['FROZEN', 'Frozen'],
  ['DORMANT', 'Dormant'],
  ['PURGED', 'Purged'],
] as const;

const tiers = [
  ['', 'Any tier'],
  ['PROTOTYPE', 'Prototype'],
  ['HOBBY', 'Hobby'],
  ['TEAM', 'Team'],
] as const;

function List() {
  const search = useTypedSearch('search');
  const [state, setState] = useSearch('state', '');
  const [tier, setTier] = useSearch('tier', '');
  const [open, setOpen] = useSearch('org', '');
  const here = usePageSearch();
  const filter: AllOrganizationsQueryVariables = {
    search: search.applied === '' ? undefined : search.applied,
    state: chosen<'ACTIVE'>(states, state),
    tier: chosen<'TEAM'>(tiers, tier),
  };
  const pages = usePages(JSON.stringify(filter));
  const answer = useAsk(AllOrganizationsDocument, { ...filter, after: pages.after });
  const linkTo = (orgId: string): string => {
    const params = new URLSearchParams(here);
    params.set('org', orgId);
    return `/installation?${params}`;
  };
  return (
    <div className={open === '' ? 'with-panel' : 'with-panel open'}>
      <div className="list-column">
        <Toolbar label="Filter organizations">
          <SearchField
            label="Search"
            placeholder="Name, slug, id, wallet or mail"
            value={search.typed}
            onChange={search.type}
          />
          <Filter label="State" options={states} value={state} onChange={setState} />
          <Filter label="Tier" options={tiers} value={tier} onChange={setTier} />
        </Toolbar>
        <Loaded answer={answer}>
          {({ installation }) => (
            <>
              <Table
                label="Organizations"
                columns={open === '' ? (installation?.leases === true ? [...columns, lease] : columns) : columnsBeside}
                rows={installation?.organizations?.edges.map(({ node }) => node) ?? []}
                keyOf={({ orgId }) => orgId}
                linkOf={({ orgId }) => linkTo(orgId)}
                empty={
                  filter.search === undefined && filter.state === undefined && filter.tier === undefined ? (
                    <State icon={Building2} title="No organization yet">
                      The first one is made by who signs in first.
                    </State>
                  ) : (
                    <State icon={SearchX} title="No organization matches">
                      The search takes part of a name or a slug, the beginning of an id, or a whole wallet or mail
                      address of a member.
                    </State>
                  )
                }
              />
              <Pager list="organizations" pages={pages} info={installation?.organizations?.pageInfo} />
            </>
          )}
        </Loaded>
      </div>
      {open !== '' && <OrganizationPanel key={open} org={open} close={() => setOpen('')} />}
    </div>
  );
}

const columns: readonly TableColumn<ListedOrganization>[] = [
  {
    id: 'name',
    name: 'Organization',
    wraps: true,
    cell: ({ displayName, slug, orgId }) => (
      <span className="named">
        <bdi>{displayName ?? slug ?? 'Without a name'}</bdi>
        <span className="quiet small mono">{slug ?? orgId.slice(0, 8)}</span>
      </span>
    ),
  },
  { id: 'state', name: 'State', cell: ({ lifecycleState }) => <StateBadge value={lifecycleState} /> },
  { id: 'tier', name: 'Tier', cell: ({ tier }) => <StateBadge value={tier} mood="plain" /> },
  { id: 'members', name: 'Members', align: 'end', cell: ({ members }) => full(members) },
  { id: 'projects', name: 'Projects', align: 'end', cell: ({ projects }) => full(projects) },
  {
    id: 'calls',
    name: 'API calls',
    align: 'end',
    cell: ({ apiCalls, limits }) => (
      <>
        {compact(apiCalls)} <span className="quiet">of {compact(limits.apiCalls)}</span>
      </>
    ),
  },
  {
    id: 'overrides',
    name: 'Own limits',
    cell: ({ overrides }) =>
      overrides.length === 0 ? <span className="quiet">None</span> : <Badge mood="accent">{overrides.length}</Badge>,
  },
  { id: 'created', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
];

/** Those that are left while an organization is open beside the list. */
const columnsBeside = columns.filter(({ id }) => ['name', 'state', 'tier', 'projects'].includes(id));

const lease: TableColumn<ListedOrganization> = {
  id: 'lease',
  name: 'Lease ends',
  cell: ({ leasePerpetual, leaseExpiresAt }) =>
    leasePerpetual ? <span className="quiet">Never</span> : <When at={leaseExpiresAt} />,
};
