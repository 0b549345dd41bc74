import { z } from 'zod';
import { checked } from '../../db/checked.ts';
import { sql } from '../../db/drizzle.ts';
import { type Presence, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import { onRoom, type RoomScope } from '../../kernel/access/access.ts';
import { readAfterChange } from '../../kernel/durability/read-after-change.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { shows } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { resolveRecipients } from './recipients.ts';
import { resolveSender } from './sender.ts';
import { nearDailySends, refuseOverDailySends } from './sends-of-day.ts';
import { roomActions } from './shared/actions.ts';
import { isArchived, roomArchived } from './shared/archived.ts';
import { ensureRoom } from './shared/ensure-room.ts';
import { othersLive } from './shared/live-presences.ts';
import type { PresenceResult } from './shared/presence.ts';
import { appendMessage, isPublished } from './shared/room-feed.ts';
import { presenceFields, presenceId, roomAddress, sessionKey, threadId } from './shared/room-input.ts';
import {
  arrivalToWire,
  MessageWire,
  messageToWire,
  PresenceResultWire,
  PresenceWire,
  presenceToWire,
  roomPath,
} from './shared/wire.ts';

const bodyBytesMax = 32 * 1024;
const recipientsMax = 50;
/** A name as one was given: what was asked for and a number, in characters, in the form that names are kept in. */
const nameMax = 80;
const name = z
  .string()
  .min(1)
  .normalize('NFC')
  .refine((text) => [...text].length <= nameMax, `at most ${nameMax} characters`);
const names = z.array(name).max(recipientsMax, `at most ${recipientsMax} names`).default([]);

export interface SentMessage {
  readonly message: RoomMessage;
  /** An earlier send with the same key: nothing was written. */
  readonly deduplicated: boolean;
  readonly sender: PresenceResult;
}

/** Others who are live in the room, now that the message is sent: of the moment, so no part of what is kept. */
export const liveBesideSender = (ctx: Context, { message, sender }: SentMessage): Promise<readonly Presence[]> =>
  readAfterChange(
    () => othersLive(ctx, { orgId: message.orgId, key: message.roomKey }, sender.presence.id),
    ctx,
    `The message ${message.id} was sent, but who is live in the room could not be read.`,
    { message_id: message.id },
  );

/** `POST /orgs/v1/:org_id/rooms/:room_key/messages`. Contract 02, section 2.4. */
export const sendMessage = mutation({
  name: 'rooms.sendMessage',
  tool: 'send_room_message',
  command: 'messages send',
  summary: 'Post a message that everybody in the room can read.',
  access: onRoom(roomActions['room:write']),
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
    thread_id: threadId.nullish().describe('Any label; replies repeat it.'),
    importance: z.enum(['normal', 'high']).default('normal').describe('`high` stands out.'),
    ack_required: z.boolean().default(false).describe('Asks those in `to` to acknowledge.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('The same key from the same presence sends once, and answers the first message; 1 to 256 characters.'),
    presence_id: presenceId,
    session_key: sessionKey,
    ...presenceFields,
  }),
  async handler(work, input): Promise<SentMessage> {
    // Asked at once. Finding the speaker also locks its row, so that two sends of one presence with one key cannot both be first.
    const [, near, archived, sender] = await Promise.all([
      ensureRoom(work),
      nearDailySends(work),
      isArchived(work),
      resolveSender(work, input),
    ]);
    const first = await findReplayed(work, sender.presence.id, input.idempotency_key);
    if (first !== undefined) return { message: first, deduplicated: true, sender };
    if (archived) throw roomArchived(work);
    const recipients = await resolveRecipients(work, input);
    if (near) await refuseOverDailySends(work);
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
      recipients,
      idempotencyKey: input.idempotency_key ?? null,
      // This transaction's own time, by the database clock.
      createdAt: sender.presence.lastActive,
    };
    work.append(appendMessage(message));
    if (isPublished(message)) work.afterCommit(work.services.messageMirror.wake);
    return { message, deduplicated: false, sender };
  },
  // Its place in the room is given after the outcome is stored. A message that is gone since has none; its cursor starts over.
  async complete({ services }, sent): Promise<SentMessage> {
    if (sent.deduplicated) return sent;
    const { orgId, roomKey, id } = sent.message;
    const [placed] = await services.db.rows(placeStatement.with({ orgId, roomKey, id }));
    return { ...sent, message: { ...sent.message, seq: placed?.seq ?? 0n } };
  },
  audit: ({ message, deduplicated }) =>
    deduplicated ? undefined : { action: 'message.sent', object: { kind: 'message', id: message.id } },
  wire: MessageWire.extend({
    deduplicated: z.boolean(),
    sender_presence: PresenceResultWire,
    live_presences: z.array(PresenceWire),
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string() })),
  }),
  toWire: async (sent, ctx) => {
    const wire = messageToWire(sent.message, ctx);
    const path = `${roomPath(sent.message.orgId, sent.message.roomKey)}/messages?cursor=${wire.cursor}`;
    return {
      ...wire,
      deduplicated: sent.deduplicated,
      sender_presence: arrivalToWire(sent.sender),
      live_presences: (await liveBesideSender(ctx, sent)).map((presence) => presenceToWire(presence)),
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
  const [message] = await work.rows(
    replayStatement.with({ orgId: work.org.id, senderPresenceId: senderId, idempotencyKey: key }),
  );
  return message;
}

const replayStatement = statement(
  'rooms.replayed',
  { params: pick(roomMessages, 'orgId', 'senderPresenceId', 'idempotencyKey'), row: allOf(roomMessages) },
  ({ orgId, senderPresenceId, idempotencyKey }, row) => sql`select ${row} from ${roomMessages}
    where ${roomMessages.orgId} = ${orgId} and ${roomMessages.senderPresenceId} = ${senderPresenceId}
      and ${roomMessages.idempotencyKey} = ${idempotencyKey}`,
);

const placeStatement = statement(
  'rooms.place',
  { params: pick(roomMessages, 'orgId', 'roomKey', 'id'), row: pick(roomMessages, 'seq'), pipelined: true },
  ({ orgId, roomKey, id }, row) => sql`select ${row} from ${roomMessages} where ${roomMessages.orgId} = ${orgId}
    and ${roomMessages.id} = ${id} and ${checked(sql`${roomMessages.roomKey} = ${roomKey}`)}`,
);
