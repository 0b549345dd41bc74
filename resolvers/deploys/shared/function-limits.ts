import type { Org } from '../../../db/schema/orgs.ts';
import { offerOf } from '../../../kernel/limits/tier-table.ts';

/** What a tier allows the functions of a release. */
export function functionLimitsOf({ tier }: Pick<Org, 'tier'>, leases: boolean) {
  const { max, timeoutSeconds, memoryMb, minIntervalMinutes, scheduled } = offerOf(tier, leases).functions;
  return { timeoutSeconds, memoryMb, scheduleMinutes: minIntervalMinutes, schedules: scheduled, functions: max, tier };
}
