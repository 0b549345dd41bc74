import { checkUsage, renewTier } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { today } from '../../kernel/limits/daily-quota.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';

/** More than there are messages on their way at once, on all nodes: so many below the limit nobody waits for anybody. */
const ample = 400;

/** Rows that hold the count of an organization's day, at most. */
export const sendsSlots = 64;

/**
 * The row that a connection counts in, so that those who send at the same time seldom wait for one another, and however
 * many rooms there are, there are few rows to add up. Processes of the server are numbered one after the other.
 */
export const sendsSlot = `'#' || (pg_backend_pid() % ${sendsSlots})`;

/**
 * Looks whether an organization is near its limit of the day. What is stored counts it, in one of a few rows, so the
 * number of an organization is a sum over rows that others are adding to. Far below the limit that does no harm. Near it
 * senders pass one after the other, each once whoever went before is committed. Asked before anything else is locked.
 *
 * @returns whether {@link refuseOverDailySends} has to count
 */
export async function nearDailySends(work: Work & RoomScope): Promise<boolean> {
  const [look] = await work.rows<{ near: boolean }>(lookStatement, [work.org.id, messagesPerDay(work) - ample]);
  return look!.near;
}

/**
 * Counts the messages of today, after {@link nearDailySends} had its turn.
 *
 * @throws QUOTA_EXCEEDED
 */
export async function refuseOverDailySends(work: Work & RoomScope): Promise<void> {
  const limit = messagesPerDay(work);
  const [count] = await work.rows<{ used: number }>(countStatement, [work.org.id]);
  const { used } = count!;
  if (used < limit) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: 'Daily message quota reached for this organization.',
    details: { scope: 'organization', metric: 'messages_per_day', resource: 'messages_per_day', limit, used },
    nextActions: [{ ...renewTier(':tier'), why: 'A higher tier sends more.' }, checkUsage],
  });
}

const messagesPerDay = ({ org }: RoomScope) => limitsOf(org).messagesPerDay;

const sentToday = `(select coalesce(sum(sent), 0)::int from room_sends where org_id = $1 and day = ${today})`;

// One of the two locks, never one after the other: two that both held the weaker would wait for each other's.
const lookStatement: Statement = {
  name: 'rooms.sends-look',
  text: `select near, case when near then pg_advisory_xact_lock(key) else pg_advisory_xact_lock_shared(key) end
    from (select ${sentToday} >= $2::bigint as near, hashtextextended('room-sends:' || $1::uuid, 0) as key offset 0) looked`,
};

const countStatement: Statement = { name: 'rooms.sends-count', text: `select ${sentToday} as used` };
