import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { sql } from '../../db/drizzle.ts';
import { type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
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
    const [found] = await services.db.rows(messageStatement.with({ orgId: org.id, roomKey: room.key, id: message }));
    if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { message_id: message } });
    return found;
  },
  wire: MessageWire.extend({ body: z.string() }),
  toWire: (message, ctx) => ({ ...messageToWire(message, ctx), body: message.body }),
});

export const messageStatement = statement(
  'rooms.message',
  { params: pick(roomMessages, 'orgId', 'roomKey', 'id'), row: allOf(roomMessages), pipelined: true },
  ({ orgId, roomKey, id }, row) => sql`select ${row} from ${roomMessages} where ${roomMessages.orgId} = ${orgId}
    and ${roomMessages.id} = ${id} and ${checked(sql`${roomMessages.roomKey} = ${roomKey}`)}`,
);
