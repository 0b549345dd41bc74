import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { bytes, Meter } from '../parts/meter.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { may } from '../session/may.ts';
import { BalanceDocument, type OrganizationQuery, SetTierDocument, type Tier } from './organization.graphql.ts';
import type { Organization } from './organization-parts.ts';

const dollars = (micros: number) =>
  (micros / 1_000_000).toLocaleString(undefined, { style: 'currency', currency: 'USD' });
const tiers: readonly Tier[] = ['PROTOTYPE', 'HOBBY', 'TEAM'];

interface TierCardProps {
  readonly organization: Organization;
  readonly standing: OrganizationQuery['tierStatus'];
}

/** The tier, its lease, and how much of what it allows is used. */
export function TierCard({ organization, standing }: TierCardProps) {
  const set = useChange(SetTierDocument);
  const { orgId, tier, lifecycleState, leaseExpiresAt, leasePerpetual, role } = organization;
  const asked = may(role, 'org:billing:read') ? { org: orgId } : undefined;
  const billing = useAsk(BalanceDocument, asked).data?.organization?.billing;
  return (
    <Card title="Tier and use">
      <div className="line">
        <Tag value={tier} mood="accent" />
        <Tag value={lifecycleState} />
        <span className="small quiet">
          {leasePerpetual ? (
            'The lease does not end.'
          ) : (
            <>
              The lease ends <When at={leaseExpiresAt} />.
            </>
          )}
        </span>
      </div>
      {standing?.offer != null && <p className="quiet">{standing.offer.description}</p>}
      {standing !== null && (
        <>
          <Meter label="Requests" used={standing.poolUsage.apiCalls} limit={standing.poolUsage.apiCallsLimit} />
          <Meter
            label="Storage"
            used={standing.poolUsage.storageBytes}
            limit={standing.poolUsage.storageBytesLimit}
            format={bytes}
          />
        </>
      )}
      {billing != null && (
        <p>
          Balance {dollars(billing.availableUsdMicros)}
          {billing.heldUsdMicros > 0 && `, and ${dollars(billing.heldUsdMicros)} held`}
        </p>
      )}
      {may(role, 'org:tier:set') && (
        <Form
          label="Tier"
          className="row"
          send={async (values) => {
            await set.run({ org: orgId, tier: textOf(values, 'tier') as Tier });
            return false;
          }}
        >
          <Field label="Tier" hint="The one it has renews the lease. What it costs is taken from the balance.">
            <select name="tier" defaultValue={tier}>
              {tiers.map((name) => (
                <option key={name} value={name}>
                  {name.toLowerCase()}
                </option>
              ))}
            </select>
          </Field>
          <button type="submit" disabled={set.busy}>
            Set tier
          </button>
        </Form>
      )}
      <Outcome change={set} done="It is set." />
    </Card>
  );
}
