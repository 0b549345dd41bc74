import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { dollars } from '../parts/dollars.ts';
import { bytes, Meter } from '../parts/meter.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { may } from '../session/may.ts';
import { BalanceDocument, type OrganizationQuery } from './organization.graphql.ts';
import type { Organization } from './organization-parts.ts';
import { TierChoice } from './organization-tier-choice.tsx';

interface TierCardProps {
  readonly organization: Organization;
  readonly standing: OrganizationQuery['tierStatus'];
}

/** The tier, its lease if any, and the usage of the tier's limits. */
export function TierCard({ organization, standing }: TierCardProps) {
  const { orgId, tier, lifecycleState, leaseExpiresAt, leasePerpetual, role } = organization;
  const asked = may(role, 'org:billing:read') ? { org: orgId } : undefined;
  const billing = useAsk(BalanceDocument, asked).data?.organization?.billing;
  const offer = standing?.offer ?? null;
  return (
    <Card title="Tier and use">
      <div className="line">
        <Tag value={tier} mood="accent" />
        <Tag value={lifecycleState} />
        {!leasePerpetual && (
          <span className="small quiet">
            The lease ends <When at={leaseExpiresAt} />.
          </span>
        )}
        {leasePerpetual && offer?.leaseDays != null && <span className="small quiet">The lease does not end.</span>}
      </div>
      {offer !== null && <p className="quiet">{offer.description}</p>}
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
      {billing != null && (offer?.leaseDays != null || billing.availableUsdMicros + billing.heldUsdMicros > 0) && (
        <p>
          Balance {dollars(billing.availableUsdMicros)}
          {billing.heldUsdMicros > 0 && `, and ${dollars(billing.heldUsdMicros)} held`}
        </p>
      )}
      {may(role, 'org:tier:set') && <TierChoice organization={organization} active={standing?.active === true} />}
    </Card>
  );
}
