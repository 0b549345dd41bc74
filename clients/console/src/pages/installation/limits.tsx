import { Gauge } from 'lucide-react';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { AdminPage } from './admin-page.tsx';
import type { ListedOrganization } from './organization-types.ts';
import {
  AllOrganizationsDocument,
  type LimitsFragment,
  TierLimitsDocument,
  type TierLimitsQuery,
} from './organizations.graphql.ts';
import { labelOfLimit, limitNames, limitText, words } from './words.ts';

/** What each tier allows, and which organizations have limits of their own. */
export default function Limits() {
  return (
    <AdminPage title="Limits" lead="What each tier allows, and the organizations that have limits of their own.">
      <Overridden />
      <Tiers />
    </AdminPage>
  );
}

type Offer = NonNullable<TierLimitsQuery['tiers']>['edges'][number]['node'];

function Tiers() {
  const answer = useAsk(TierLimitsDocument, {});
  return (
    <Section title="Tiers" about="A limit counts for the organization as a whole, unless it says otherwise.">
      <Loaded answer={answer}>
        {({ tiers }) => {
          const offers = tiers?.edges.map(({ node }) => node) ?? [];
          return (
            <Table
              label="Limits by tier"
              columns={columnsOf(offers)}
              rows={limitNames}
              keyOf={([name]) => name}
              empty={<State icon={Gauge} title="No tiers" />}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

const columnsOf = (offers: readonly Offer[]): readonly TableColumn<(typeof limitNames)[number]>[] => [
  { id: 'limit', name: 'Limit', wraps: true, cell: ([, label]) => label },
  ...offers.map(({ tier, limits }) => ({
    id: tier,
    name: words(tier),
    align: 'end' as const,
    cell: ([name]: (typeof limitNames)[number]) => limitText(name, limits[name as keyof LimitsFragment] as number),
  })),
];

function Overridden() {
  const pages = usePages('overridden');
  const answer = useAsk(AllOrganizationsDocument, { overridden: true, after: pages.after });
  return (
    <Section title="Own limits" about="These limits replace those of the tier. Select a row to open the organization.">
      <Loaded answer={answer}>
        {({ installation }) => (
          <>
            <Table
              label="Organizations with limits of their own"
              columns={overriddenColumns}
              rows={installation?.organizations?.edges.map(({ node }) => node) ?? []}
              keyOf={({ orgId }) => orgId}
              linkOf={({ orgId }) => `/installation?org=${orgId}`}
              empty={
                <State icon={Gauge} title="Every organization has the limits of its tier">
                  Open an organization to give it limits of its own.
                </State>
              }
            />
            <Pager list="organizations" pages={pages} info={installation?.organizations?.pageInfo} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const overriddenColumns: readonly TableColumn<ListedOrganization>[] = [
  {
    id: 'name',
    name: 'Organization',
    cell: ({ displayName, slug, orgId }) => <bdi>{displayName ?? slug ?? orgId}</bdi>,
  },
  { id: 'tier', name: 'Tier', cell: ({ tier }) => <StateBadge value={tier} mood="plain" /> },
  {
    id: 'own',
    name: 'Own limits',
    grows: true,
    cell: ({ overrides }) => (
      <span className="badges">
        {overrides.map(({ name, value }) => (
          <Badge key={name} mood="accent">
            {labelOfLimit(name)} {limitText(name, value)}
          </Badge>
        ))}
      </span>
    ),
  },
];
