import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { checked } from '../../db/checked.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Presence, type Recipient, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { onRoom, type RoomScope } from '../access.ts';
import { shows } from '../fields.ts';
import { mutation } from '../operation.ts';
import type { Work } from '../unit-of-work.ts';
import { ensureRoom } from './ensure-room.ts';
import { type Arrival, livePresencesStatement, resolveSpeaker } from './presence.ts';
import { appendMessage } from './room-feed.ts';
import { presenceFields, presenceId, roomAddress, sessionKey } from './room-input.ts';
import {
  ArrivalWire,
  arrivalToWire,
  MessageWire,
  messageToWire,
  PresenceWire,
  presenceToWire,
  roomPath,
} from './wire.ts';

const bodyBytesMax = 32 * 1024;
const recipientsMax = 50;
const names = z.array(z.string().min(1).max(80)).max(recipientsMax, `at most ${recipientsMax} names`).default([]);

export interface SentMessage {
  readonly message: RoomMessage;
  /** An earlier send with the same key: nothing was written. */
  readonly deduplicated: boolean;
  readonly sender: Arrival;
  /** Others who are live in the room. */
  readonly live: readonly Presence[];
}

/** `POST /orgs/v1/:org_id/rooms/:room_key/messages`. Contract 02, section 2.4. */
export const sendMessage = mutation({
  name: 'rooms.sendMessage',
  summary: 'Post a message that everybody in the room can read.',
  access: onRoom('room:write'),
  input: z.object({
    ...roomAddress,
    body: z
      .string()
      .refine((body) => shows.test(body), 'must not be blank')
      .refine((body) => Buffer.byteLength(body) <= bodyBytesMax, {
        error: 'at most 32 KiB',
        params: { reason: 'MESSAGE_TOO_LARGE' },
      })
      .describe('Markdown, at most 32 KiB; a longer body is refused, never cut.'),
    to: names.describe('Names of live presences this message is meant for: attention, not access.'),
    cc: names.describe('Names of live presences that should know.'),
    thread_id: z.string().min(1).max(128).nullish().describe('Any label; replies repeat it.'),
    importance: z.enum(['normal', 'high']).default('normal').describe('`high` stands out.'),
    ack_required: z.boolean().default(false).describe('Asks those in `to` to acknowledge.'),
    idempotency_key: z.string().min(1).max(256).optional().describe('The same key from the same presence sends once.'),
    presence_id: presenceId,
    session_key: sessionKey,
    ...presenceFields,
  }),
  async handler(work, input): Promise<SentMessage> {
    await ensureRoom(work);
    // Finding the speaker also locks its row, so that two sends of one presence with one key cannot both be first.
    const sender = await resolveSpeaker(work, input);
    const others = (await work.rows<Presence>(livePresencesStatement, [work.org.id, work.room.key])).filter(
      ({ id }) => id !== sender.presence.id,
    );
    const first = await findReplayed(work, sender.presence.id, input.idempotency_key);
    if (first !== undefined) return { message: first, deduplicated: true, sender, live: others };
    const message: RoomMessage = {
      orgId: work.org.id,
      roomKey: work.room.key,
      seq: 0n,
      id: work.services.newId('msg'),
      senderPresenceId: sender.presence.id,
      senderName: sender.presence.name,
      principalId: sender.presence.principalId,
      body: input.body,
      threadId: input.thread_id ?? null,
      importance: input.importance,
      ackRequired: input.ack_required,
      recipients: resolveRecipients([sender.presence, ...others], input),
      idempotencyKey: input.idempotency_key ?? null,
      createdAt: work.services.now(),
    };
    work.append(appendMessage(message));
    return { message, deduplicated: false, sender, live: others };
  },
  // Its place in the room is given after the outcome is stored. A message that is gone since has none; its cursor starts over.
  async complete({ services }, sent): Promise<SentMessage> {
    if (sent.deduplicated) return sent;
    const { orgId, roomKey, id } = sent.message;
    const [placed] = await services.db.rows<{ seq: bigint }>(placeStatement, [orgId, roomKey, id]);
    return { ...sent, message: { ...sent.message, seq: placed?.seq ?? 0n } };
  },
  audit: ({ message, deduplicated }) =>
    deduplicated ? undefined : { action: 'message.sent', object: { kind: 'message', id: message.id } },
  wire: MessageWire.extend({
    deduplicated: z.boolean(),
    sender_presence: ArrivalWire,
    live_presences: z.array(PresenceWire),
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string() })),
  }),
  toWire: (sent, ctx) => {
    const wire = messageToWire(sent.message, ctx);
    const path = `${roomPath(sent.message.orgId, sent.message.roomKey)}/messages?cursor=${wire.cursor}`;
    return {
      ...wire,
      deduplicated: sent.deduplicated,
      sender_presence: arrivalToWire(sent.sender, ctx),
      live_presences: sent.live.map((presence) => presenceToWire(presence, ctx)),
      next_actions: [{ type: 'poll', method: 'GET', path }],
    };
  },
});

async function findReplayed(
  work: Work & RoomScope,
  senderId: string,
  key: string | undefined,
): Promise<RoomMessage | undefined> {
  if (key === undefined) return undefined;
  const [message] = await work.rows<RoomMessage>(replayStatement, [work.org.id, senderId, key]);
  return message;
}

/** Names to presences: exact spelling first, then without regard to letter case. @throws UNKNOWN_RECIPIENT */
function resolveRecipients(
  live: readonly Presence[],
  input: { to: readonly string[]; cc: readonly string[]; ack_required: boolean },
): Recipient[] {
  const resolved = (['to', 'cc'] as const).flatMap((kind) => {
    const found = [...new Set(input[kind])].map((name) => ({
      name,
      presence:
        live.find((one) => one.name === name) ?? live.find((one) => one.name.toLowerCase() === name.toLowerCase()),
    }));
    const unresolved = found.filter(({ presence }) => presence === undefined).map(({ name }) => name);
    if (unresolved.length > 0) throw new ServiceError('UNKNOWN_RECIPIENT', { details: { unresolved, field: kind } });
    return found.map(({ presence }) => ({
      presenceId: presence!.id,
      name: presence!.name,
      kind,
      ackRequired: kind === 'to' && input.ack_required,
      ackedAt: null,
    }));
  });
  // Somebody named twice is asked once, in the stronger way.
  return resolved.filter(({ presenceId: id }, index) => resolved.findIndex((one) => one.presenceId === id) === index);
}

const replayStatement: Statement = {
  name: 'rooms.replayed',
  text: `select ${columnsOf(roomMessages, 'm')} from room_messages m
    where org_id = $1 and sender_presence_id = $2 and idempotency_key = $3`,
};

const placeStatement: Statement = {
  name: 'rooms.place',
  pipelined: true,
  text: `select seq from room_messages where org_id = $1 and id = $3 and ${checked('room_key = $2')}`,
};
