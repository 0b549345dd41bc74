import { ServiceError } from '../../core/errors.ts';
import type { Bound } from '../../db/statement.ts';
import type { Work } from '../durability/unit-of-work.ts';

/** What is counted, and where. */
export interface Quota {
  readonly scope: 'organization' | 'project' | 'principal';
  readonly metric:
    | 'projects'
    | 'members'
    | 'grants'
    | 'delegates'
    | 'slugs'
    | 'escalation_contacts'
    | 'escalations_per_day'
    | 'open_escalations'
    | 'live_presences';
  /** Where there is more to say than that it is used up. */
  readonly message?: string;
}

/**
 * Counts what there is, when one more is about to be made. The caller holds the lock under which all of them are
 * made, so that callers who race cannot pass the limit.
 *
 * @param counted answers the number
 * @throws QUOTA_EXCEEDED
 */
export async function refuseOverQuota(
  work: Work,
  counted: Bound<{ used: number }>,
  { scope, metric, ...more }: Quota,
  limit: number,
): Promise<void> {
  const [count] = await work.rows(counted);
  const { used } = count!;
  if (used < limit) return;
  throw new ServiceError('QUOTA_EXCEEDED', { ...more, details: { scope, metric, resource: metric, limit, used } });
}
