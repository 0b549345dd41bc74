import { bytes, count } from '../../design/amounts.ts';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Meter } from '../../design/meter.tsx';
import { Section } from '../../design/section.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { may } from '../../session/may.ts';
import { AddMoney } from './add-money.tsx';
import { Balance } from './balance.tsx';
import { MailCredits } from './mail-credits.tsx';
import type { OrganizationProps } from './parts.ts';
import { Plan } from './plan.tsx';
import { OrganizationUsageDocument, TiersDocument } from './usage.graphql.ts';

/** What an organization uses of its limits, its tier beside the others, and its balance. */
export function Usage({ organization }: OrganizationProps) {
  const { orgId, role } = organization;
  const answer = useAsk(OrganizationUsageDocument, { org: orgId });
  const tiers = useAsk(TiersDocument, {});
  const offers = tiers.data?.tiers?.edges.map(({ node }) => node) ?? [];
  const isSold = offers.some(({ leaseDays }) => leaseDays !== null);
  const usageDays = offers.find(({ tier }) => tier === organization.tier)?.usageDays;
  return (
    <div className="tab-body">
      <Section title="Usage" about={usageDays === undefined ? undefined : `API calls count over ${usageDays} days.`}>
        <Loaded answer={answer}>
          {({ tierStatus, organization: found, operatorOverview }) => {
            if (tierStatus === null || found === null) return null;
            const { poolUsage } = tierStatus;
            const { limits } = found;
            const members = operatorOverview?.organizations.find((one) => one.orgId === orgId)?.memberCount;
            return (
              <>
                <div className="meters">
                  <Meter label="API calls" used={poolUsage.apiCalls} limit={poolUsage.apiCallsLimit} />
                  <Meter
                    label="Storage"
                    used={poolUsage.storageBytes}
                    limit={poolUsage.storageBytesLimit}
                    format={bytes}
                  />
                  <Meter label="Projects" used={poolUsage.projects} limit={limits.projects} />
                  {members !== undefined && <Meter label="Members" used={members} limit={limits.members} />}
                </div>
                <details>
                  <summary>More limits</summary>
                  <Facts
                    facts={[
                      ['Messages per day', count(limits.messagesPerDay)],
                      ['Events per day', count(limits.eventsPerDay)],
                      ['Mails per day', count(limits.emailsPerDay)],
                      ['Mail recipients', count(limits.mailRecipients)],
                      ['Reads per second', count(limits.readsPerSecond)],
                      ['Writes per second', count(limits.writesPerSecond)],
                      ['Grants per project', count(limits.grantsPerProject)],
                      ['Delegates per project', count(limits.delegatesPerProject)],
                      ['Live connections per project', count(limits.liveConnectionsPerProject)],
                    ]}
                  />
                </details>
              </>
            );
          }}
        </Loaded>
      </Section>
      <Loaded answer={tiers}>
        {() => <Plan organization={organization} offers={offers} active={answer.data?.tierStatus?.active === true} />}
      </Loaded>
      {may(role, 'org:billing:read') && <Balance org={orgId} isSold={isSold} />}
      <AddMoney organization={organization} />
      {may(role, 'org:billing:read') && <MailCredits organization={organization} />}
    </div>
  );
}
