import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { type RoomSummary, RoomSummaryWire, roomToWire, summaryColumns } from './room-summary.ts';
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
    const [summary] = await services.db.rows<RoomSummary>(roomStatement, [org.id, room.key]);
    return summary ?? unused;
  },
  wire: RoomSummaryWire,
  toWire: roomToWire,
});

const roomStatement: Statement = {
  name: 'rooms.summary',
  pipelined: true,
  text: `select ${summaryColumns} from rooms r where r.org_id = $1 and r.key = $2`,
};
