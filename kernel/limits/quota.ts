import { type NextAction, ServiceError } from '../../core/errors.ts';
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
    | 'credentials'
    | 'slugs'
    | 'escalation_contacts'
    | 'open_escalations'
    | 'live_presences'
    | 'saved_queries'
    | 'saved_query_bytes'
    | 'storage_bytes'
    | 'staged_bytes'
    | 'subdomains'
    | 'domains'
    | 'secrets'
    | 'snapshots'
    | 'branches'
    | 'app_versions'
    | 'archives'
    | 'unique_recipients'
    | 'translation_words'
    | `${string}_per_${'day' | 'hour'}`;
  /** Where there is more to say than that it is used up. */
  readonly message?: string;
  readonly nextActions?: readonly NextAction[];
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
  quota: Quota,
  limit: number,
): Promise<void> {
  const [count] = await work.rows(counted);
  const { used } = count!;
  if (used >= limit) throw quotaExceeded(quota, limit, used);
}

/** The refusal of one more than a quota allows. */
export const quotaExceeded = ({ scope, metric, ...more }: Quota, limit: number, used: number) =>
  new ServiceError('QUOTA_EXCEEDED', { ...more, details: { scope, metric, resource: metric, limit, used } });
