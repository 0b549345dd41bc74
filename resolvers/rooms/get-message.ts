import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';
import { MessageWire, messageToWire } from './shared/wire.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key/messages/:message_id`. Contract 02, section 2.6. */
export const getMessage = query({
  name: 'rooms.getMessage',
  tool: 'read_room_messages',
  command: 'messages get',
  summary: 'One message with its full body.',
  access: onRoom(roomActions['room:read']),
  input: z.object({ ...roomAddress, message: z.string().max(64).describe('Message, `msg_…`.') }),
  async handler({ services, org, room }, { message }): Promise<RoomMessage> {
    const [found] = await services.db.rows<RoomMessage>(messageStatement, [org.id, room.key, message]);
    if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { message_id: message } });
    return found;
  },
  wire: MessageWire.extend({ body: z.string() }),
  toWire: (message, ctx) => ({ ...messageToWire(message, ctx), body: message.body }),
});

export const messageStatement: Statement = {
  name: 'rooms.message',
  pipelined: true,
  text: `select ${columnsOf(roomMessages, 'm')} from room_messages m where org_id = $1 and id = $3 and ${checked('room_key = $2')}`,
};
