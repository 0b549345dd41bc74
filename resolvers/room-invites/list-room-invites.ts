import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { roomInvites } from '../../db/schema/room-invites.ts';
import { pick, statement } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { roomAddress } from '../rooms/shared/room-input.ts';
import { roomInviteActions } from './shared/actions.ts';
import { inviteColumns, isOpen, RoomInviteWire, roomInviteToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key/invites`: at most as many as may be open. */
export const listRoomInvites = query({
  name: 'rooms.listInvites',
  tool: 'list_room_invites',
  command: 'rooms invites',
  summary: 'The keys of a room that can still be redeemed, newest first.',
  access: onRoom(roomInviteActions['room:invite']),
  input: z.object(roomAddress),
  handler: ({ services, org, room }) => services.db.rows(openStatement.with({ orgId: org.id, roomKey: room.key })),
  wire: z.object({ invites: z.array(RoomInviteWire) }),
  toWire: (invites) => ({ invites: invites.map(roomInviteToWire) }),
});

const openStatement = statement(
  'room-invites.list',
  { params: pick(roomInvites, 'orgId', 'roomKey'), row: inviteColumns },
  (given, row) => sql`select ${row} from ${roomInvites} where ${isOpen(given)}
    order by ${roomInvites.createdAt} desc, ${roomInvites.id}`,
);
