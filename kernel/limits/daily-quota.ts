import { checkUsage, renewTier } from '../../core/error-codes.ts';
import { sql } from '../../db/drizzle.ts';
import { dailyCounts } from '../../db/schema/daily-counts.ts';
import { nameOf, namesOf, pick, statement, typed } from '../../db/sql.ts';
import type { Work } from '../durability/unit-of-work.ts';
import { quotaExceeded } from './quota.ts';

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
  if ((await work.rows(spendStatement.with({ orgId, resource, limit }))).length > 0) return;
  const [count] = await work.rows(usedStatement.with({ orgId, resource }));
  const nextActions = [{ ...renewTier(':tier'), why: 'A higher tier allows more in a day.' }, checkUsage];
  throw quotaExceeded({ scope: 'organization', metric: resource, message, nextActions }, limit, count?.used ?? 0);
}

/** The day of UTC in which a transaction began, by the database clock. */
export const today = sql`(now() at time zone 'UTC')::date`;

const usedUp = pick(dailyCounts, 'orgId', 'resource');
const { orgId, resource, day, used } = dailyCounts;

const spendStatement = statement(
  'quota.spend-daily',
  { params: { ...usedUp, limit: typed<number>('bigint') }, row: { used } },
  (given, row) => sql`insert into ${dailyCounts} (${namesOf(orgId, resource, day, used)})
    select ${given.orgId}, ${given.resource}, ${today}, 1 where ${given.limit}::bigint > 0
    on conflict (${namesOf(orgId, resource, day)}) do update set ${nameOf(used)} = ${used} + 1
    where ${used} < ${given.limit} returning ${row}`,
);

const usedStatement = statement(
  'quota.used-daily',
  { params: usedUp, row: { used } },
  (given, row) => sql`select ${row} from ${dailyCounts}
    where ${orgId} = ${given.orgId} and ${resource} = ${given.resource} and ${day} = ${today}`,
);
