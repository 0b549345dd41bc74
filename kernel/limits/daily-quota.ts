import { checkUsage, renewTier } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Work } from '../durability/unit-of-work.ts';

/** What is counted by UTC day, and how often it may be done. */
export interface DailyQuota {
  readonly orgId: string;
  readonly resource: `${string}_per_day`;
  readonly limit: number;
  readonly message: string;
}

/**
 * Counts one more. The count is a row, held until the change is kept: callers who race cannot pass the limit, and what
 * is not kept does not count.
 *
 * @throws QUOTA_EXCEEDED
 */
export async function spendDaily(work: Work, { orgId, resource, limit, message }: DailyQuota): Promise<void> {
  if ((await work.rows(spendStatement, [orgId, resource, limit])).length > 0) return;
  const [count] = await work.rows<{ used: number }>(usedStatement, [orgId, resource]);
  const used = count?.used ?? 0;
  const details = { resource, metric: resource, scope: 'organization', used, limit };
  const nextActions = [{ ...renewTier(':tier'), why: 'A higher tier allows more in a day.' }, checkUsage];
  throw new ServiceError('QUOTA_EXCEEDED', { message, details, nextActions });
}

/** The day of UTC in which a transaction began, by the database clock. */
export const today = `(now() at time zone 'UTC')::date`;

const spendStatement: Statement = {
  name: 'quota.spend-daily',
  text: `insert into daily_counts as c (org_id, resource, day, used)
    select $1, $2, ${today}, 1 where $3::bigint > 0
    on conflict (org_id, resource, day) do update set used = c.used + 1 where c.used < $3 returning used`,
};

const usedStatement: Statement = {
  name: 'quota.used-daily',
  text: `select used from daily_counts where org_id = $1 and resource = $2 and day = ${today}`,
};
