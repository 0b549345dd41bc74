import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { rooms } from '../../db/schema/rooms.ts';
import { pick, statement } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { type RoomSummary, RoomSummaryWire, roomToWire, summaryOf } from './room-summary.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key`: a look without joining. Contract 02, section 2.2. */
export const getRoom = query({
  name: 'rooms.get',
  tool: 'get_room',
  command: 'rooms get',
  summary: 'One room, without joining it; a key that nobody used reads as empty.',
  access: onRoom(roomActions['room:read']),
  input: z.object(roomAddress),
  async handler({ services, org, room }): Promise<RoomSummary> {
    const unused = { orgId: org.id, key: room.key, livePresences: 0, lastActivityAt: null };
    if (!room.used) return unused;
    const [summary] = await services.db.rows(roomStatement.with({ orgId: org.id, key: room.key }));
    return summary ?? unused;
  },
  wire: RoomSummaryWire,
  toWire: roomToWire,
});

const roomStatement = statement(
  'rooms.summary',
  { params: pick(rooms, 'orgId', 'key'), row: summaryOf(), pipelined: true },
  ({ orgId, key }, row) => sql`select ${row} from ${rooms} where ${rooms.orgId} = ${orgId} and ${rooms.key} = ${key}`,
);
