import { z } from 'zod';
import type { Presence, RoomMessage } from '../../../db/schema/rooms.ts';
import { feedCursor } from '../../../kernel/feeds/feeds.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { PresenceResult } from './presence.ts';
import { roomFeed } from './room-feed.ts';

/** How much of a body a list shows, in characters. */
export const snippetCharacters = 280;

/** Contract 02, section 2.3. */
export const PresenceWire = z
  .object({
    presence_id: z.string(),
    name: z.string(),
    task: z.string().nullable(),
    program: z.string().nullable(),
    model: z.string().nullable(),
    state: z.enum(['active', 'expired', 'left']),
    last_active: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'RoomPresence' });

export const presenceToWire = (presence: Presence) => ({
  presence_id: presence.id,
  name: presence.name,
  task: presence.task,
  program: presence.program,
  model: presence.model,
  state: presence.state,
  last_active: presence.lastActive.toISOString(),
  expires_at: presence.expiresAt.toISOString(),
});

/** What a call that made or resumed a presence says about it. */
export const PresenceResultWire = PresenceWire.extend({
  requested_name: z.string().optional(),
  renamed: z.boolean().optional(),
  why: z.string().optional(),
  resumed: z.boolean().optional(),
}).meta({ id: 'RoomArrival' });

export function arrivalToWire({ presence, how, requestedName }: PresenceResult): z.infer<typeof PresenceResultWire> {
  const wire = presenceToWire(presence);
  if (how === 'resumed') return { ...wire, resumed: true };
  if (how === 'found' || requestedName === undefined) return wire;
  const renamed = presence.name !== requestedName;
  return {
    ...wire,
    requested_name: requestedName,
    renamed,
    ...(renamed ? { why: `The name ${requestedName} is taken in this room, so ${presence.name} was given.` } : {}),
  };
}

export const RecipientWire = z
  .object({
    name: z.string(),
    kind: z.enum(['to', 'cc']),
    ack_required: z.boolean(),
    acked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'MessageRecipient' });

/** A message as lists show it. Contract 02, section 2.4. */
export const MessageWire = z
  .object({
    message_id: z.string(),
    cursor: z.string(),
    room_key: z.string(),
    sender: z.string(),
    body_snippet: z.string(),
    body_truncated: z.boolean(),
    thread_id: z.string().nullable(),
    importance: z.enum(['normal', 'high']),
    ack_required: z.boolean(),
    recipients: z.array(RecipientWire),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'RoomMessage' });

/** The first characters of a text: whole ones, not the units of an encoding. */
export const snippetOf = (text: string, characters: number): string =>
  [...text.slice(0, characters * 2)].slice(0, characters).join('');

export function messageToWire(message: RoomMessage, ctx: Context): z.infer<typeof MessageWire> {
  const snippet = snippetOf(message.body, snippetCharacters);
  return {
    message_id: message.id,
    cursor: messageCursor(message, ctx),
    room_key: message.roomKey,
    sender: message.senderName,
    body_snippet: snippet,
    body_truncated: snippet.length < message.body.length,
    thread_id: message.threadId,
    importance: message.importance,
    ack_required: message.ackRequired,
    recipients: message.recipients.map(({ name, kind, ackRequired, ackedAt }) => ({
      name,
      kind,
      ack_required: ackRequired,
      acked_at: ackedAt,
    })),
    created_at: message.createdAt.toISOString(),
  };
}

/** A row that came off a feed is shared by all who follow it, and so is its cursor. */
const cursors = new WeakMap<RoomMessage, string>();

/** The cursor right after a message that has its position in the room. */
export function messageCursor(message: RoomMessage, { services }: Pick<Context, 'services'>): string {
  let cursor = cursors.get(message);
  if (cursor === undefined) {
    cursor = feedCursor(services.keys, roomFeed(message.orgId, message.roomKey), message.seq);
    cursors.set(message, cursor);
  }
  return cursor;
}

/** The documented path of a room. */
export const roomPath = (orgId: string, key: string): string => `/orgs/v1/${orgId}/rooms/${encodeURIComponent(key)}`;
