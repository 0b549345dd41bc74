import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { roomAddress } from '../rooms/shared/room-input.ts';
import { roomInviteActions } from './shared/actions.ts';
import { inviteColumns, RoomInviteWire, roomInviteToWire, type ShownInvite } from './wire.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key/invites`: at most as many as may be open. */
export const listRoomInvites = query({
  name: 'rooms.listInvites',
  tool: 'list_room_invites',
  command: 'rooms invites',
  summary: 'The keys of a room that can still be redeemed, newest first.',
  access: onRoom(roomInviteActions['room:invite']),
  input: z.object(roomAddress),
  handler: ({ services, org, room }) => services.db.rows<ShownInvite>(openStatement, [org.id, room.key]),
  wire: z.object({ invites: z.array(RoomInviteWire) }),
  toWire: (invites) => ({ invites: invites.map(roomInviteToWire) }),
});

const openStatement: Statement = {
  name: 'room-invites.list',
  text: `select ${inviteColumns} from room_invites i
    where org_id = $1 and room_key = $2 and revoked_at is null and claimed_at is null and expires_at > now()
    order by created_at desc, id`,
};
