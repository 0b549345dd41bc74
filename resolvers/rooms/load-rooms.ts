import { sql } from 'drizzle-orm';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Presence, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { textOf } from '../../db/sql.ts';
import { hasRoomGrant, isClaimedRoom, isMember, roomStands } from '../../kernel/access/rules.ts';
import { visibilityOf } from '../../kernel/access/visibility.ts';
import type { Context } from '../../kernel/run/context.ts';
import { presenceColumns } from './presence-columns.ts';
import { type RoomSummary, summaryColumns } from './room-summary.ts';

/** Names a room; the two parts never hold a slash. */
export interface RoomAddress {
  readonly orgId: string;
  readonly key: string;
}

const arrays = (addresses: readonly RoomAddress[]) => [
  addresses.map(({ orgId }) => orgId),
  addresses.map(({ key }) => key),
];

/** The caller's own parameters of {@link reachable}. What is said in rooms is not the platform admin's to read. */
export async function callerValues(ctx: Context): Promise<readonly unknown[]> {
  const caller = await ctx.caller();
  if (caller.kind === 'delegate') return [null, caller.orgId, caller.projectIds, true];
  if (caller.kind === 'project_key' && caller.role === 'service_role') {
    return [null, caller.orgId, [caller.projectId], false];
  }
  const [principalId] = visibilityOf(caller);
  return [principalId, null, [], false];
}

/**
 * Which of the rooms `w (org_id, key)` a caller can reach, as the door decides it for one. Four parameters from `first`
 * on: principal, and for credentials that name their own reach organization, projects and whether named
 * rooms too.
 */
export function reachable(first: number): string {
  const [principalId, orgId, projectIds, namedRooms] = [0, 1, 2, 3].map((offset) => `$${first + offset}`);
  const claim = {
    orgId: sql.raw(`${orgId}::uuid`),
    projectIds: sql.raw(`${projectIds}::text[]`),
    namedRooms: sql.raw(`${namedRooms}::boolean`),
  };
  return `${textOf(roomStands(sql.raw('w.org_id'), sql.raw('w.key')))} and (${textOf(isMember(sql.raw('w.org_id'), sql.raw(principalId!)))}
    or ${textOf(hasRoomGrant(sql.raw('w.org_id'), sql.raw(principalId!), sql.raw('w.key')))} or ${textOf(isClaimedRoom(sql.raw('w.org_id'), sql.raw('w.key'), claim))})`;
}

/** Rooms by address, those the caller can reach, in one statement; an unused one reads as empty. */
export async function loadRooms(ctx: Context, addresses: readonly RoomAddress[]): Promise<(RoomSummary | null)[]> {
  const rows = await ctx.services.db.rows<RoomSummary & { n: number }>(roomsStatement, [
    ...arrays(addresses),
    ...(await callerValues(ctx)),
  ]);
  return inOrder(addresses.length, rows);
}

/** The newest message of each room, in one statement. */
export async function loadLastMessages(
  ctx: Context,
  addresses: readonly RoomAddress[],
): Promise<(RoomMessage | null)[]> {
  const rows = await ctx.services.db.rows<RoomMessage & { n: number }>(lastStatement, [
    ...arrays(addresses),
    ...(await callerValues(ctx)),
  ]);
  return inOrder(addresses.length, rows);
}

/** Messages by id; `org_id` comes first in every key, so the id is looked for in the caller's organizations. */
export async function loadMessages(ctx: Context, ids: readonly string[]): Promise<RoomMessage[]> {
  return ctx.services.db.rows<RoomMessage>(messagesStatement, [ids, ...(await callerValues(ctx))]);
}

/** Presences by id, of the rooms the caller can reach, in one statement. */
export async function loadPresences(ctx: Context, ids: readonly string[]): Promise<Presence[]> {
  return ctx.services.db.rows<Presence>(presencesStatement, [ids, ...(await callerValues(ctx))]);
}

function inOrder<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | null)[] {
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return Array.from({ length }, (_, index) => byNumber.get(index + 1) ?? null);
}

const wanted = 'unnest($1::uuid[], $2::text[]) with ordinality as w (org_id, key, n)';

const roomsStatement: Statement = {
  name: 'rooms.load',
  pipelined: true,
  text: `select w.n::int as n, ${summaryColumns} from ${wanted}
    cross join lateral (select w.org_id, w.key) r where ${reachable(3)}`,
};

const lastStatement: Statement = {
  name: 'rooms.load-last',
  pipelined: true,
  text: `select w.n::int as n, ${columnsOf(roomMessages, 'm')} from ${wanted}
    cross join lateral (
      select * from room_messages m where m.org_id = w.org_id and m.room_key = w.key order by m.seq desc limit 1
    ) m where ${reachable(3)}`,
};

const messagesStatement: Statement = {
  name: 'rooms.load-messages',
  pipelined: true,
  text: `select ${columnsOf(roomMessages, 'm')} from room_messages m
    cross join lateral (select m.org_id, m.room_key as key) w
    where m.id = any($1::text[]) and ${reachable(2)}`,
};

const presencesStatement: Statement = {
  name: 'rooms.load-presences',
  pipelined: true,
  text: `select ${presenceColumns('p')} from room_presences p
    cross join lateral (select p.org_id, p.room_key as key) w
    where p.id = any($1::text[]) and ${reachable(2)}`,
};
