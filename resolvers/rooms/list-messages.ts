import { z } from 'zod';
import type { Presence, RoomMessage } from '../../db/schema/rooms.ts';
import { onRoom, type RoomScope } from '../access.ts';
import { roomAuthority, roomAuthorityLost } from '../authority.ts';
import type { Context } from '../context.ts';
import { feedCursor, feedPosition, readFeed } from '../feeds.ts';
import { cursor as cursorField, wholeNumber } from '../fields.ts';
import { query } from '../operation.ts';
import { livePresences, touchReader } from './presence.ts';
import { readRoomBack, roomFeed } from './room-feed.ts';
import { messagePage, presenceId, roomAddress, sessionKey } from './room-input.ts';
import { MessageWire, messageToWire, PresenceWire, presenceToWire } from './wire.ts';

/** A held read waits between one and 25 seconds; anything else is clamped. Contract 02, section 2.5. */
const waitSeconds = { min: 1, max: 25 };

/** A documented filter that is not built: to ignore it would answer with what was not asked for. */
const notYet = z.never('not offered yet').optional().describe('Not offered yet, and refused.');

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
  summary: 'Messages of a room after a cursor, oldest first; can wait for the next one.',
  access: onRoom('room:read'),
  input: z.object({
    ...roomAddress,
    ...messagePage,
    order: z.enum(['asc', 'desc']).default('asc').describe('`desc` reads backwards, newest first.'),
    before: cursorField.optional().describe('Only messages before this cursor; backwards alone.'),
    wait: wholeNumber
      .transform((seconds) => Math.min(Math.max(seconds, waitSeconds.min), waitSeconds.max))
      .optional()
      .describe('Seconds to wait for a message when there is none, 1 to 25.'),
    thread_id: notYet,
    unread: notYet,
    addressed_to: notYet,
    presence_id: presenceId,
    session_key: sessionKey,
  }),
  async handler(ctx, { cursor, limit, order, before, wait, ...reader }): Promise<MessagePage> {
    if (order === 'desc') return readBack(ctx, before, limit);
    const { services, org, room, signal } = ctx;
    const startedAt = performance.now();
    // A held read counts as activity once, at its start.
    const self = await touchReader(ctx, reader);
    const feed = roomFeed(org.id, room.key);
    let page = await readFeed(services, feed, { cursor, limit });
    let live: readonly Presence[] | undefined;
    if (page.rows.length === 0 && wait !== undefined) {
      const moved = await services.feeds.moved(feed, page.position, { timeoutMs: wait * 1000, signal });
      if (moved) page = await readFeed(services, feed, { cursor, limit });
      live = await livePresences(ctx);
      // Asked last, so that nothing is shown that came after the right had ended.
      const authority = roomAuthority(await ctx.caller(), org.id, room.key);
      if (!(await services.authority.holds(authority))) throw roomAuthorityLost();
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
              live: (live ?? (await livePresences(ctx))).filter(({ id }) => id !== self?.id),
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
      : { waited_ms: held.waitedMs, live_presences: held.live.map((presence) => presenceToWire(presence, ctx)) }),
  }),
});

/** Newest first, for looking back: counts as no activity, and waits for nothing. An unusable cursor starts at the newest. */
async function readBack(
  { services, org, room }: Context & RoomScope,
  before: string | undefined,
  limit: number,
): Promise<MessagePage> {
  const feed = roomFeed(org.id, room.key);
  const position = before === undefined ? undefined : feedPosition(services.keys, feed, before);
  const { head, floor, rows } = await readRoomBack(services.db, feed.name, { before: position, limit: limit + 1 });
  const messages = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const reset = before !== undefined && position === undefined;
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
