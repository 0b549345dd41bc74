import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Presence } from '../../db/schema/rooms.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { flag, oneLine } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { isStanding } from './claims/claim-columns.ts';
import { isLive, presenceColumns } from './presence-columns.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';
import { PresenceWire, presenceToWire } from './shared/wire.ts';

/** A presence and how many claims of its stand. */
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
    include_expired: flag
      .default(false)
      .describe(`Also the latest ${goneMax.toLocaleString('en')} that have expired or left.`),
    name: oneLine(128).optional().describe('Only the presence of exactly this name.'),
  }),
  handler({ services: { db }, org, room }, { include_expired, name }): Promise<ListedPresence[]> {
    if (name !== undefined) return db.rows(namedStatement, [org.id, room.key, name, include_expired]);
    return db.rows(include_expired ? allStatement : liveStatement, [org.id, room.key]);
  },
  wire: z.object({ presences: z.array(PresenceWire.extend({ active_claims: z.number().int() })) }),
  toWire: (presences) => ({
    presences: presences.map((presence) => ({
      ...presenceToWire(presence),
      active_claims: presence.activeClaims,
    })),
  }),
});

const listed = `${presenceColumns('p')}, (
    select count(*)::int from room_claims c where c.org_id = p.org_id and c.presence_id = p.id and ${isStanding('c')}
  ) as "activeClaims"`;

const liveStatement: Statement = {
  name: 'presences.list',
  text: `select ${listed} from room_presences p where org_id = $1 and room_key = $2 and ${isLive('p')}
    order by last_active desc, id`,
};

// Every sign of life prolongs a presence by the same hour: in the order in which they expire, they were last active.
const allStatement: Statement = {
  name: 'presences.list-all',
  text: `select ${listed} from (
      (select * from room_presences l where org_id = $1 and room_key = $2 and ${isLive('l')})
      union all
      (select * from room_presences g where org_id = $1 and room_key = $2 and not ${isLive('g')}
        order by expires_at desc limit ${goneMax})
    ) p order by ${isLive('p')} desc, last_active desc, id`,
};

const namedStatement: Statement = {
  name: 'presences.list-named',
  text: `select ${listed} from room_presences p
    where org_id = $1 and (lower(name) collate "C") = lower($3) and room_key = $2 and name = $3
      and ($4::boolean or ${isLive('p')})`,
};
