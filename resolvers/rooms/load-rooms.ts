import { type SQL, sql } from '../../db/drizzle.ts';
import { type Presence, type RoomMessage, roomMessages, roomPresences, rooms } from '../../db/schema/rooms.ts';
import { allOf, computed, statement, typed } from '../../db/sql.ts';
import { hasRoomGrant, isClaimedRoom, isMember, roomStands } from '../../kernel/access/rules.ts';
import { visibilityOf } from '../../kernel/access/visibility.ts';
import type { Context } from '../../kernel/run/context.ts';
import { presenceColumns } from './presence-columns.ts';
import { type RoomPlace, type RoomSummary, summaryOf } from './room-summary.ts';

/** Names a room; the two parts never hold a slash. */
export interface RoomAddress {
  readonly orgId: string;
  readonly key: string;
}

const arrays = (addresses: readonly RoomAddress[]) => ({
  orgIds: addresses.map(({ orgId }) => orgId),
  keys: addresses.map(({ key }) => key),
});

/** The parameters of {@link reachable}: a principal, and for credentials that name their own reach what that is. */
export const reader = {
  principal: typed<string | null>('text'),
  claimedOrg: typed<string | null>('uuid'),
  claimedProjects: typed<readonly string[]>('text[]'),
  claimsNamed: typed<boolean>('boolean'),
};

/** The caller as the values of {@link reader}. The platform admin may not read what is said in rooms. */
export async function readerOf(ctx: Context) {
  const caller = await ctx.caller();
  const none = { principal: null, claimedOrg: null, claimedProjects: [] as readonly string[], claimsNamed: false };
  if (caller.kind === 'delegate')
    return { ...none, claimedOrg: caller.orgId, claimedProjects: caller.projectIds, claimsNamed: true };
  if (caller.kind === 'project_key' && caller.role === 'service_role')
    return { ...none, claimedOrg: caller.orgId, claimedProjects: [caller.projectId] };
  const [principal] = visibilityOf(caller);
  return { ...none, principal };
}

/** Whether a caller can reach a room, as the door decides it for one. */
export function reachable({ orgId, key }: RoomPlace, given: { readonly [Name in keyof typeof reader]: SQL }): SQL {
  const claim = {
    orgId: sql`${given.claimedOrg}::uuid`,
    projectIds: sql`${given.claimedProjects}::text[]`,
    namedRooms: sql`${given.claimsNamed}::boolean`,
  };
  return sql`${roomStands(orgId, key)} and (${isMember(orgId, given.principal)}
    or ${hasRoomGrant(orgId, given.principal, key)} or ${isClaimedRoom(orgId, key, claim)})`;
}

/** Rooms by address, those the caller can reach, in one statement; an unused one reads as empty. */
export async function loadRooms(ctx: Context, addresses: readonly RoomAddress[]): Promise<(RoomSummary | null)[]> {
  const asked = { ...arrays(addresses), ...(await readerOf(ctx)) };
  return inOrder(addresses.length, await ctx.services.db.rows(roomsStatement.with(asked)));
}

/** The newest message of each room, in one statement. */
export async function loadLastMessages(
  ctx: Context,
  addresses: readonly RoomAddress[],
): Promise<(RoomMessage | null)[]> {
  const asked = { ...arrays(addresses), ...(await readerOf(ctx)) };
  return inOrder(addresses.length, await ctx.services.db.rows(lastStatement.with(asked)));
}

/** Messages by id; `org_id` comes first in every key, so the id is looked for in the caller's organizations. */
export const loadMessages = async (ctx: Context, ids: readonly string[]): Promise<RoomMessage[]> =>
  ctx.services.db.rows(messagesStatement.with({ ids, ...(await readerOf(ctx)) }));

/** Presences by id, of the rooms the caller can reach, in one statement. */
export const loadPresences = async (ctx: Context, ids: readonly string[]): Promise<Presence[]> =>
  ctx.services.db.rows(presencesStatement.with({ ids, ...(await readerOf(ctx)) }));

function inOrder<Row extends { n: number }>(length: number, rows: readonly Row[]): (Row | null)[] {
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return Array.from({ length }, (_, index) => byNumber.get(index + 1) ?? null);
}

/** The rooms that are asked for, by number. */
const asked = { orgIds: typed<readonly string[]>('uuid[]'), keys: typed<readonly string[]>('text[]'), ...reader };
const fromAsked = ({ orgIds, keys }: { readonly orgIds: SQL; readonly keys: SQL }): SQL =>
  sql`unnest(${orgIds}::uuid[], ${keys}::text[]) with ordinality as w (org_id, key, n)`;
const place = { orgId: sql`w.org_id`, key: sql`w.key` };
const number = { n: computed<number>('integer', sql`w.n::int`) };

const roomsStatement = statement(
  'rooms.load',
  { params: asked, row: { ...number, ...summaryOf(place) }, pipelined: true },
  (given, row) => sql`select ${row} from ${fromAsked(given)}
    left join ${rooms} on ${rooms.orgId} = w.org_id and ${rooms.key} = w.key where ${reachable(place, given)}`,
);

const lastStatement = statement(
  'rooms.load-last',
  { params: asked, row: { ...number, ...allOf(roomMessages) }, pipelined: true },
  (given, row) => sql`select ${row} from ${fromAsked(given)}
    cross join lateral (
      select * from ${roomMessages} where ${roomMessages.orgId} = w.org_id and ${roomMessages.roomKey} = w.key
      order by ${roomMessages.seq} desc limit 1
    ) ${roomMessages} where ${reachable(place, given)}`,
);

const byIds = { ids: typed<readonly string[]>('text[]'), ...reader };

const messagesStatement = statement(
  'rooms.load-messages',
  { params: byIds, row: allOf(roomMessages), pipelined: true },
  ({ ids, ...given }, row) => sql`select ${row} from ${roomMessages}
    cross join lateral (select ${roomMessages.orgId}, ${roomMessages.roomKey} as key) w
    where ${roomMessages.id} = any(${ids}::text[]) and ${reachable(place, given)}`,
);

const presencesStatement = statement(
  'rooms.load-presences',
  { params: byIds, row: presenceColumns, pipelined: true },
  ({ ids, ...given }, row) => sql`select ${row} from ${roomPresences}
    cross join lateral (select ${roomPresences.orgId}, ${roomPresences.roomKey} as key) w
    where ${roomPresences.id} = any(${ids}::text[]) and ${reachable(place, given)}`,
);
