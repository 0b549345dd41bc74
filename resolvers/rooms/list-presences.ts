import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { roomClaims } from '../../db/schema/claims.ts';
import { type Presence, roomPresences } from '../../db/schema/rooms.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { oneLine, yesOrNo } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { isInForce } from './claims/claim-columns.ts';
import { isLive, presenceColumns } from './presence-columns.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';
import { PresenceWire, presenceToWire } from './shared/wire.ts';

/** A presence with the number of its active claims. */
export type ListedPresence = Presence & { readonly activeClaims: number };

/** How many that are gone a list shows, the latest: a room remembers all that ever were in it. */
const goneMax = 1_000;

/** `GET /orgs/v1/:org_id/rooms/:room_key/presences`. Contract 02, section 2.3. */
export const listPresences = query({
  name: 'rooms.listPresences',
  tool: 'list_room_presences',
  command: 'rooms presences',
  summary: 'Who is live in a room, latest activity first.',
  access: onRoom(roomActions['room:read']),
  input: z.object({
    ...roomAddress,
    include_expired: yesOrNo
      .default(false)
      .describe(`Also the latest ${goneMax.toLocaleString('en')} that have expired or left.`),
    name: oneLine(128).optional().describe('Only the presence of exactly this name.'),
  }),
  handler({ services: { db }, org, room }, { include_expired, name }): Promise<ListedPresence[]> {
    const place = { orgId: org.id, roomKey: room.key };
    if (name !== undefined) return db.rows(namedStatement.with({ ...place, name, goneToo: include_expired }));
    return db.rows((include_expired ? allStatement : liveStatement).with(place));
  },
  wire: z.object({ presences: z.array(PresenceWire.extend({ active_claims: z.number().int() })) }),
  toWire: (presences) => ({
    presences: presences.map((presence) => ({
      ...presenceToWire(presence),
      active_claims: presence.activeClaims,
    })),
  }),
});

const listed = {
  ...presenceColumns,
  activeClaims: computed<number>(
    'integer',
    sql`(select count(*)::int from ${roomClaims} where ${roomClaims.orgId} = ${roomPresences.orgId}
      and ${roomClaims.presenceId} = ${roomPresences.id} and ${isInForce()})`,
  ),
};
const inRoom = pick(roomPresences, 'orgId', 'roomKey');
const latestFirst = sql`${roomPresences.lastActive} desc, ${roomPresences.id}`;

const liveStatement = statement(
  'presences.list',
  { params: inRoom, row: listed },
  ({ orgId, roomKey }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${roomKey} and ${isLive()}
    order by ${latestFirst}`,
);

// Every sign of life prolongs a presence by the same hour: in the order in which they expire, they were last active.
const allStatement = statement('presences.list-all', { params: inRoom, row: listed }, ({ orgId, roomKey }, row) => {
  const ofRoom = sql`select * from ${roomPresences}
      where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${roomKey}`;
  return sql`select ${row} from (
        (${ofRoom} and ${isLive()})
        union all
        (${ofRoom} and not ${isLive()} order by ${roomPresences.expiresAt} desc limit ${sql.raw(String(goneMax))})
      ) ${roomPresences} order by ${isLive()} desc, ${latestFirst}`;
});

const namedStatement = statement(
  'presences.list-named',
  { params: { ...inRoom, name: roomPresences.name, goneToo: typed<boolean>('boolean') }, row: listed },
  ({ orgId, roomKey, name, goneToo }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and (lower(${roomPresences.name}) collate "C") = lower(${name})
      and ${roomPresences.roomKey} = ${roomKey} and ${roomPresences.name} = ${name}
      and (${goneToo}::boolean or ${isLive()})`,
);
