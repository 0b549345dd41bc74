import { bytes, count } from '../../design/amounts.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import { ChangeTier } from './change-tier.tsx';
import { type PlanProps, priceOf, tierName } from './offers.ts';

/** The tiers beside each other, and a dialog that changes to another one. */
export function Plan({ organization, offers, active }: PlanProps) {
  const [dialog, setDialog] = useSearch('change', '');
  const { tier: current, role } = organization;
  const mayChange = may(role, 'org:tier:set');
  return (
    <Section
      title="Tier"
      about={offers.find(({ tier }) => tier === current)?.description}
      actions={mayChange && <Button onPress={() => setDialog('tier')}>Change tier</Button>}
    >
      <Table
        label="Tiers"
        rows={offers}
        keyOf={({ tier }) => tier}
        columns={[
          {
            id: 'tier',
            name: 'Tier',
            wraps: true,
            cell: ({ tier }) => (
              <span className="standing">
                <strong>{tierName(tier)}</strong>
                {tier === current && <Badge mood="accent">Current</Badge>}
              </span>
            ),
          },
          { id: 'price', name: 'Price', cell: priceOf },
          { id: 'projects', name: 'Projects', align: 'end', cell: ({ maxProjects }) => count(maxProjects) },
          { id: 'members', name: 'Members', align: 'end', cell: ({ maxMembers }) => count(maxMembers) },
          { id: 'storage', name: 'Storage', align: 'end', cell: ({ storageMb }) => bytes(storageMb * 1_048_576) },
          {
            id: 'requests',
            name: 'API calls',
            align: 'end',
            cell: ({ apiCalls, usageDays }) => `${count(apiCalls)} in ${usageDays} days`,
          },
        ]}
        empty={<p className="quiet">This gateway offers no tiers.</p>}
      />
      {dialog === 'tier' && mayChange && offers.length > 0 && (
        <ChangeTier
          organization={organization}
          offers={offers}
          active={active}
          close={() => setDialog('', { replace: true })}
        />
      )}
    </Section>
  );
}
