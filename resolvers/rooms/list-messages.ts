import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Presence, type RoomMessage, roomPresences } from '../../db/schema/rooms.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onRoom, type RoomScope } from '../../kernel/access/access.ts';
import { roomAuthority } from '../../kernel/access/authority.ts';
import { feedCursor, feedPosition, inOneEpoch, readFeed } from '../../kernel/feeds/feeds.ts';
import { movedWhileAllowed } from '../../kernel/feeds/held-read.ts';
import { cursor as cursorField, wholeNumber } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { roomAuthorityLost } from './authority-lost.ts';
import { filteredFeed, isFilter, type MessageFilter, passes, picks, readRoomBack } from './message-filter.ts';
import { roomActions } from './shared/actions.ts';
import { othersLive } from './shared/live-presences.ts';
import { touchReader } from './shared/presence.ts';
import { roomFeed } from './shared/room-feed.ts';
import { messageFilter, messagePage, roomAddress, unread } from './shared/room-input.ts';
import { resolveSelf, type SelfRequest } from './shared/self.ts';
import { MessageWire, messageToWire, PresenceWire, presenceToWire } from './shared/wire.ts';

/** A held read waits between one and 25 seconds; anything else is clamped. Contract 02, section 2.5. */
const waitSeconds = { min: 1, max: 25 };

export interface MessagePage {
  readonly messages: readonly RoomMessage[];
  /** High-water mark; an empty page gives back the cursor it was asked with. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** The given cursor could not be used; the page starts at the earliest message that is kept. */
  readonly reset: boolean;
  /** Position just before the earliest message that is kept; only with `reset`. */
  readonly earliestCursor: string | undefined;
  /** Where the next older page begins; only of a page that was read backwards, and has one. */
  readonly beforeCursor: string | undefined;
  /** Present exactly when the read was asked to wait. */
  readonly held: { readonly waitedMs: number; readonly live: readonly Presence[] } | undefined;
}

/** `GET /orgs/v1/:org_id/rooms/:room_key/messages`. Contract 02, section 2.5. */
export const listMessages = query({
  name: 'rooms.listMessages',
  tool: 'read_room_messages',
  command: 'messages list',
  waits: true,
  summary: 'Messages of a room after a cursor, oldest first: all, or of one thread, or for one presence; can wait.',
  access: onRoom(roomActions['room:read']),
  input: z.object({
    ...roomAddress,
    ...messagePage,
    order: z.enum(['asc', 'desc']).default('asc').describe('`desc` reads backwards, newest first.'),
    before: cursorField.optional().describe('Only messages before this cursor; backwards alone.'),
    wait: wholeNumber
      .transform((seconds) => Math.min(Math.max(seconds, waitSeconds.min), waitSeconds.max))
      .optional()
      .describe('Seconds to wait for a message when there is none, 1 to 25.'),
    ...messageFilter,
    unread,
  }),
  async handler(ctx, { cursor, limit, order, before, wait, ...wanted }): Promise<MessagePage> {
    const startedAt = performance.now();
    const { self, filter, leavesTrace } = await readerOf(ctx, wanted, order);
    if (order === 'desc') return inOneEpoch(ctx.services.keys, () => readBack(ctx, filter, before, limit));
    const { services, org, room } = ctx;
    const all = roomFeed(org.id, room.key);
    const feed = isFilter(filter) ? filteredFeed(all, filter) : all;
    let page = await readFeed(services, feed, { cursor, limit });
    let live: readonly Presence[] | undefined;
    if (page.rows.length === 0 && wait !== undefined) {
      const authority = roomAuthority(await ctx.caller(), org.id, room.key);
      const moved = await movedWhileAllowed(ctx, all, {
        after: page.head,
        timeoutMs: wait * 1000,
        authority,
        matching: picks(filter) ? (message) => passes(filter, message) : undefined,
      });
      if (moved) page = await readFeed(services, feed, { cursor, limit });
      live = await othersLive(ctx, { orgId: org.id, key: room.key }, self?.id);
      // Asked last, so that nothing is shown that came after the right had ended.
      if (!(await services.authority.holds(authority))) throw roomAuthorityLost();
    }
    const last = page.rows.at(-1);
    if (leavesTrace && last !== undefined && last.seq > self!.readSeq) {
      await services.db.rows(readStatement.with({ orgId: org.id, id: self!.id, readSeq: last.seq }));
    }
    const at = (position: bigint) => feedCursor(services.keys, feed, position);
    return {
      messages: page.rows,
      cursor: page.rows.length === 0 && cursor !== undefined && !page.reset ? cursor : at(page.position),
      hasMore: page.hasMore,
      reset: page.reset,
      earliestCursor: page.reset ? at(page.floor) : undefined,
      beforeCursor: undefined,
      held:
        wait === undefined
          ? undefined
          : {
              waitedMs: Math.round(performance.now() - startedAt),
              live: live ?? (await othersLive(ctx, { orgId: org.id, key: room.key }, self?.id)),
            },
    };
  },
  wire: z.object({
    messages: z.array(MessageWire),
    cursor: z.string(),
    has_more: z.boolean(),
    reset: z.boolean().optional(),
    earliest_cursor: z.string().optional(),
    before_cursor: z.string().optional(),
    waited_ms: z.number().int().optional(),
    live_presences: z.array(PresenceWire).optional(),
  }),
  toWire: ({ messages, cursor, hasMore, reset, earliestCursor, beforeCursor, held }, ctx) => ({
    messages: messages.map((message) => messageToWire(message, ctx)),
    cursor,
    has_more: hasMore,
    ...(reset ? { reset, earliest_cursor: earliestCursor } : {}),
    ...(beforeCursor === undefined ? {} : { before_cursor: beforeCursor }),
    ...(held === undefined
      ? {}
      : { waited_ms: held.waitedMs, live_presences: held.live.map((presence) => presenceToWire(presence)) }),
  }),
});

/** Who reads, and what: looking back counts as no activity, nor does what an operator session reads. */
async function readerOf(
  ctx: Context & RoomScope,
  { thread_id, addressed_to, unread, ...named }: WantedMessages,
  order: 'asc' | 'desc',
): Promise<{ self: Presence | undefined; filter: MessageFilter; leavesTrace: boolean }> {
  const mayWrite = order === 'asc' && (await ctx.caller()).kind !== 'operator';
  const needed = addressed_to !== undefined || unread === true;
  // A held read counts as activity once, at its start.
  const self = needed
    ? await resolveSelf(ctx, ctx.services.db.rows, named, mayWrite)
    : mayWrite
      ? await touchReader(ctx, named)
      : undefined;
  const filter = {
    threadId: thread_id,
    addressedTo: addressed_to && self!.id,
    beyond: unread === true ? self!.readSeq : undefined,
  };
  return { self, filter, leavesTrace: mayWrite && self !== undefined };
}

interface WantedMessages extends SelfRequest {
  readonly thread_id?: string | undefined;
  readonly addressed_to?: 'me' | undefined;
  readonly unread?: boolean | undefined;
}

// Never back: of two readings at once the one that got further counts.
const readStatement = statement(
  'presences.read',
  { params: pick(roomPresences, 'orgId', 'id', 'readSeq') },
  ({ orgId, id, readSeq }) => sql`update ${roomPresences} ${setOf(roomPresences, { readSeq })}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.id} = ${id} and ${roomPresences.readSeq} < ${readSeq}`,
);

/** Newest first, for looking back: counts as no activity, and waits for nothing. An unusable cursor starts at the newest. */
async function readBack(
  { services, org, room }: Context & RoomScope,
  filter: MessageFilter,
  before: string | undefined,
  limit: number,
): Promise<MessagePage> {
  const feed = roomFeed(org.id, room.key);
  const given = before === undefined ? undefined : feedPosition(services.keys, feed, before);
  const readFrom = (position: bigint | undefined) =>
    readRoomBack(services.db, feed.name, filter, { before: position, limit: limit + 1 });
  let slice = await readFrom(given);
  // As forwards: behind retention, ahead of a room that was set back, or no cursor of this room.
  const reset = before !== undefined && (given === undefined || given < slice.floor || given > slice.head);
  if (reset && given !== undefined) slice = await readFrom(undefined);
  const { head, floor, rows } = slice;
  const messages = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const at = (seq: bigint) => feedCursor(services.keys, feed, seq);
  return {
    messages,
    cursor: at(messages[0]?.seq ?? head),
    hasMore,
    reset,
    earliestCursor: reset ? at(floor) : undefined,
    beforeCursor: hasMore ? at(messages.at(-1)!.seq) : undefined,
    held: undefined,
  };
}
