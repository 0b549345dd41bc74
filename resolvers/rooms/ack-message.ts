import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { sql } from '../../db/drizzle.ts';
import { momentText } from '../../db/moment-text.ts';
import { type Recipient, type RoomMessage, roomMessages, roomPresences } from '../../db/schema/rooms.ts';
import { allOf, pick, setOf, statement, typed } from '../../db/sql.ts';
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
      const [found] = await work.rows(messageStatement.with({ orgId: work.org.id, roomKey: work.room.key, id }));
      if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { message_id: id } });
      return found;
    };
    const presence = await resolveSelf(work, work.rows, await namedIn(work, await find(), who), true);
    const asked = { orgId: work.org.id, roomKey: work.room.key, id, presence: presence.id };
    const [acked] = await work.rows(ackStatement.with(asked));
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
  const own = await work.rows(
    ownStatement.with({ orgId: work.org.id, named, principal: principalIdOf(await work.caller()) }),
  );
  if (own.length === 0) throw notARecipient(message.id);
  if (own.length > 1) throw nobodyNamed('the message names several of your presences');
  return { presence_id: own[0]!.id };
}

const ownStatement = statement(
  'rooms.ack-own',
  {
    params: {
      orgId: roomPresences.orgId,
      named: typed<readonly string[]>('text[]'),
      principal: typed<string | null>('text'),
    },
    row: pick(roomPresences, 'id'),
  },
  ({ orgId, named, principal }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.id} = any(${named}::text[])
      and ${checked(sql`${roomPresences.principalId} = ${principal}`)}`,
);

// A request that comes second waits for the row, finds it acknowledged, and changes nothing.
const ackStatement = statement(
  'rooms.ack',
  {
    params: { ...pick(roomMessages, 'orgId', 'roomKey', 'id'), presence: typed<string>('text') },
    row: allOf(roomMessages),
  },
  ({ orgId, roomKey, id, presence }, row) => sql`update ${roomMessages} ${setOf(roomMessages, {
    recipients: sql`(
      select jsonb_agg(case when r ->> 'presenceId' <> ${presence} then r
        else r || jsonb_build_object('ackedAt', ${sql.raw(momentText('now()'))}) end order by n)
      from jsonb_array_elements(${roomMessages.recipients}) with ordinality as one (r, n))`,
  })} where ${roomMessages.orgId} = ${orgId} and ${roomMessages.id} = ${id}
      and ${checked(sql`${roomMessages.roomKey} = ${roomKey}`)} and exists (
        select from jsonb_array_elements(${roomMessages.recipients}) r
        where r ->> 'presenceId' = ${presence} and r ->> 'ackedAt' is null)
    returning ${row}`,
);
