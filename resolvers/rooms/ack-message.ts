import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { momentText } from '../../db/moment-text.ts';
import type { Statement } from '../../db/pool.ts';
import { type Recipient, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { onRoom, type RoomScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { messageStatement } from './get-message.ts';
import { roomActions } from './shared/actions.ts';
import { presenceId, roomAddress, sessionKey } from './shared/room-input.ts';
import { nobodyNamed, resolveSelf, type SelfRequest } from './shared/self.ts';

export interface AckedMessage {
  readonly message: RoomMessage;
  /** When it was acknowledged first. */
  readonly ackedAt: string;
  readonly alreadyAcked: boolean;
}

/** `POST /orgs/v1/:org_id/rooms/:room_key/messages/:message_id/ack`. Contract 02, section 2.6. */
export const ackMessage = mutation({
  name: 'rooms.ackMessage',
  tool: 'ack_room_message',
  command: 'messages ack',
  effects: ['idempotent'],
  summary: 'Acknowledge a message that names the caller’s presence; again, it says when it was done first.',
  access: onRoom(roomActions['room:write']),
  input: z.object({
    ...roomAddress,
    message: z.string().max(64).describe('Message, `msg_…`.'),
    presence_id: presenceId,
    session_key: sessionKey,
  }),
  async handler(work, { message: id, ...who }): Promise<AckedMessage> {
    const find = async () => {
      const [found] = await work.rows<RoomMessage>(messageStatement, [work.org.id, work.room.key, id]);
      if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { message_id: id } });
      return found;
    };
    const presence = await resolveSelf(work, work.rows, await namedIn(work, await find(), who), true);
    const values = [work.org.id, work.room.key, id, presence.id];
    const [acked] = await work.rows<RoomMessage>(ackStatement, values);
    const message = acked ?? (await find());
    const recipient = message.recipients.find(({ presenceId }) => presenceId === presence.id);
    if (recipient === undefined) throw notARecipient(id);
    return { message, ackedAt: recipient.ackedAt!, alreadyAcked: acked === undefined };
  },
  audit: ({ message, alreadyAcked }) =>
    alreadyAcked ? undefined : { action: 'message.acknowledged', object: { kind: 'message', id: message.id } },
  wire: z.object({ message_id: z.string(), acked_at: z.iso.datetime(), already_acked: z.boolean() }),
  toWire: ({ message, ackedAt, alreadyAcked }) => ({
    message_id: message.id,
    acked_at: ackedAt,
    already_acked: alreadyAcked,
  }),
});

const notARecipient = (id: string) => new ServiceError('NOT_A_RECIPIENT', { details: { message_id: id } });

/** Without an identity it is the one presence of the caller's principal that the message names. */
async function namedIn(work: Work & RoomScope, message: RoomMessage, who: SelfRequest): Promise<SelfRequest> {
  if (who.presence_id !== undefined || who.session_key !== undefined) return who;
  const named = message.recipients.map(({ presenceId }: Recipient) => presenceId);
  const own = await work.rows<{ id: string }>(ownStatement, [work.org.id, named, principalIdOf(await work.caller())]);
  if (own.length === 0) throw notARecipient(message.id);
  if (own.length > 1) throw nobodyNamed('the message names several of your presences');
  return { presence_id: own[0]!.id };
}

const ownStatement: Statement = {
  name: 'rooms.ack-own',
  text: `select id from room_presences where org_id = $1 and id = any($2::text[]) and ${checked('principal_id = $3')}`,
};

// Whoever comes second waits for the row, finds it acknowledged, and changes nothing.
const ackStatement: Statement = {
  name: 'rooms.ack',
  text: `update room_messages m set recipients = (
      select jsonb_agg(case when r ->> 'presenceId' <> $4 then r else r || jsonb_build_object('ackedAt',
        ${momentText('now()')}) end order by n)
      from jsonb_array_elements(m.recipients) with ordinality as one (r, n))
    where org_id = $1 and id = $3 and ${checked('room_key = $2')} and exists (
      select from jsonb_array_elements(m.recipients) r where r ->> 'presenceId' = $4 and r ->> 'ackedAt' is null)
    returning ${columnsOf(roomMessages, 'm')}`,
};
