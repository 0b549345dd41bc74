import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { pick, statement } from '../../../db/sql.ts';
import { onRoom } from '../../../kernel/access/access.ts';
import { yesOrNo } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { roomActions } from '../shared/actions.ts';
import { roomAddress } from '../shared/room-input.ts';
import { claimColumns, isInForce } from './claim-columns.ts';
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
    include_inactive: yesOrNo
      .default(false)
      .describe(`Also the latest ${overMax.toLocaleString('en')} that were released or have run out.`),
  }),
  handler: ({ services, org, room }, { include_inactive }): Promise<Claim[]> =>
    services.db.rows((include_inactive ? allStatement : statusStatement).with({ orgId: org.id, roomKey: room.key })),
  wire: z.object({ claims: z.array(ClaimWire.extend({ released_at: z.iso.datetime().nullable() })) }),
  toWire: (claims) => ({
    claims: claims.map((claim) => ({
      ...claimToWire(claim),
      released_at: claim.releasedAt?.toISOString() ?? null,
    })),
  }),
});

const inRoom = pick(roomClaims, 'orgId', 'roomKey');
const newestFirst = sql`order by ${roomClaims.createdAt} desc, ${roomClaims.id} desc`;

const statusStatement = statement(
  'claims.list',
  { params: inRoom, row: claimColumns },
  ({ orgId, roomKey }, row) => sql`select ${row} from ${roomClaims}
    where ${roomClaims.orgId} = ${orgId} and ${roomClaims.roomKey} = ${roomKey} and ${isInForce()} ${newestFirst}`,
);

const allStatement = statement('claims.list-all', { params: inRoom, row: claimColumns }, ({ orgId, roomKey }, row) => {
  const ofRoom = sql`select * from ${roomClaims}
      where ${roomClaims.orgId} = ${orgId} and ${roomClaims.roomKey} = ${roomKey}`;
  return sql`select ${row} from (
        (${ofRoom} and ${isInForce()})
        union all
        (${ofRoom} and not ${isInForce()} order by ${roomClaims.createdAt} desc limit ${sql.raw(String(overMax))})
      ) ${roomClaims} ${newestFirst}`;
});
