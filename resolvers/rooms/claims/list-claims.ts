import { z } from 'zod';
import type { Statement } from '../../../db/pool.ts';
import type { Claim } from '../../../db/schema/claims.ts';
import { onRoom } from '../../../kernel/access/access.ts';
import { flag } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { roomActions } from '../shared/actions.ts';
import { roomAddress } from '../shared/room-input.ts';
import { claimColumns, isStanding } from './claim-columns.ts';
import { ClaimWire, claimToWire } from './claim-wire.ts';

/** How many that are over a list shows, the latest. */
const overMax = 1_000;

/** `GET /orgs/v1/:org_id/rooms/:room_key/claims`. Contract 02, section 2.7. */
export const listClaims = query({
  name: 'claims.list',
  tool: 'list_room_claims',
  command: 'claims list',
  summary: 'What is claimed in a room, newest first.',
  access: onRoom(roomActions['room:read']),
  input: z.object({
    ...roomAddress,
    include_inactive: flag
      .default(false)
      .describe(`Also the latest ${overMax.toLocaleString('en')} that were released or have run out.`),
  }),
  handler: ({ services, org, room }, { include_inactive }): Promise<Claim[]> =>
    services.db.rows<Claim>(include_inactive ? allStatement : standingStatement, [org.id, room.key]),
  wire: z.object({ claims: z.array(ClaimWire.extend({ released_at: z.iso.datetime().nullable() })) }),
  toWire: (claims) => ({
    claims: claims.map((claim) => ({
      ...claimToWire(claim),
      released_at: claim.releasedAt?.toISOString() ?? null,
    })),
  }),
});

const standingStatement: Statement = {
  name: 'claims.list',
  text: `select ${claimColumns('c')} from room_claims c where org_id = $1 and room_key = $2 and ${isStanding('c')}
    order by created_at desc, id desc`,
};

const allStatement: Statement = {
  name: 'claims.list-all',
  text: `select ${claimColumns('c')} from (
      (select * from room_claims s where org_id = $1 and room_key = $2 and ${isStanding('s')})
      union all
      (select * from room_claims o where org_id = $1 and room_key = $2 and not ${isStanding('o')}
        order by created_at desc limit ${overMax})
    ) c order by created_at desc, id desc`,
};
