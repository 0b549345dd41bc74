import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { rooms } from '../../db/schema/rooms.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import type { RoomAddress } from './load-rooms.ts';
import { type RoomSummary, RoomSummaryWire, roomToWire, summaryOf, unusedRoom } from './room-summary.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key`: a look without joining. Contract 02, section 2.2. */
export const getRoom = query({
  name: 'rooms.get',
  tool: 'get_room',
  command: 'rooms get',
  summary: 'One room, without joining it; an unused key reads as an empty room.',
  access: onRoom(roomActions['room:read']),
  input: z.object(roomAddress),
  async handler({ services, org, room }): Promise<RoomSummary> {
    const address = { orgId: org.id, key: room.key };
    return room.used ? readRoom(services.db.rows, address) : unusedRoom(address);
  },
  wire: RoomSummaryWire,
  toWire: roomToWire,
});

/** One room, by the database or a transaction of it; an unused key reads as an empty room. */
export async function readRoom(rows: Rows, address: RoomAddress): Promise<RoomSummary> {
  const [summary] = await rows(roomStatement.with(address));
  return summary ?? unusedRoom(address);
}

const roomStatement = statement(
  'rooms.summary',
  { params: pick(rooms, 'orgId', 'key'), row: summaryOf(), pipelined: true },
  ({ orgId, key }, row) => sql`select ${row} from ${rooms} where ${rooms.orgId} = ${orgId} and ${rooms.key} = ${key}`,
);
