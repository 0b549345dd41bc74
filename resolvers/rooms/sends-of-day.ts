import { checkUsage, renewTier } from '../../core/error-codes.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { roomSends } from '../../db/schema/rooms.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { today } from '../../kernel/limits/daily-quota.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { type Quota, refuseOverQuota } from '../../kernel/limits/quota.ts';

/** More than there are messages on their way at once, on all nodes: so many below the limit no sender waits for another. */
const ample = 400;

/** Rows that hold the count of an organization's day, at most. */
export const sendsSlots = 64;

/**
 * The row that a connection counts in, so that those who send at the same time seldom wait for one another, and however
 * many rooms there are, there are few rows to add up. Processes of the server are numbered one after the other.
 */
export const sendsSlot = `'#' || (pg_backend_pid() % ${sendsSlots})`;

/** The advisory lock of an organization's sends. Each send holds it, shared or alone, until its transaction ends. */
export const sendsLock = (orgId: SQL): SQL => sql`hashtextextended('room-sends:' || ${orgId}::uuid, 0)`;

/**
 * Looks whether an organization is near its limit of the day. The number of an organization is a sum over a few rows
 * that other senders add to. Far below the limit that does no harm. Near it, senders pass one after the other: each once
 * the sender before has committed. Asked before anything else is locked.
 *
 * @returns whether {@link refuseOverDailySends} has to count
 */
export async function nearDailySends(work: Work & RoomScope): Promise<boolean> {
  const look = lookStatement.with({ orgId: work.org.id, from: messagesPerDay(work) - ample });
  const [looked] = await work.rows(look);
  return looked!.near;
}

/**
 * Counts the messages of today, after {@link nearDailySends} has looked.
 *
 * @throws QUOTA_EXCEEDED
 */
export const refuseOverDailySends = (work: Work & RoomScope): Promise<void> =>
  refuseOverQuota(work, countStatement.with({ orgId: work.org.id }), quota, messagesPerDay(work));

const quota: Quota = {
  scope: 'organization',
  metric: 'messages_per_day',
  message: 'Daily message quota reached for this organization.',
  nextActions: [{ ...renewTier(':tier'), why: 'A higher tier sends more.' }, checkUsage],
};

const messagesPerDay = ({ org }: RoomScope) => limitsOf(org).messagesPerDay;

const sentToday = (orgId: SQL): SQL => sql`(select coalesce(sum(${roomSends.sent}), 0)::int from ${roomSends}
    where ${roomSends.orgId} = ${orgId} and ${roomSends.day} = ${today})`;

// One of the two locks, never one after the other: two that both held the weaker would wait for each other's.
const lockSql = sql`case when looked.near then pg_advisory_xact_lock(looked.key)
  else pg_advisory_xact_lock_shared(looked.key) end`;

const lookStatement = statement(
  'rooms.sends-look',
  {
    params: { ...pick(roomSends, 'orgId'), from: typed<number>('bigint') },
    row: { near: computed<boolean>('boolean', sql`looked.near`), lock: computed<unknown>('void', lockSql) },
  },
  ({ orgId, from }, row) => sql`select ${row} from (
      select ${sentToday(orgId)} >= ${from}::bigint as near,
        ${sendsLock(orgId)} as key offset 0
    ) looked`,
);

const countStatement = statement(
  'rooms.sends-count',
  { params: pick(roomSends, 'orgId'), row: { used: computed<number>('integer', sql`counted.used`) } },
  ({ orgId }, row) => sql`select ${row} from (select ${sentToday(orgId)} as used) counted`,
);
