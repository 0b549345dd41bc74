import { z } from 'zod';
import type { Presence, RoomMessage } from '../../db/schema/rooms.ts';
import { onRoom } from '../access.ts';
import { feedCursor, readFeed } from '../feeds.ts';
import { query } from '../operation.ts';
import { livePresences, touchReader } from './presence.ts';
import { roomFeed } from './room-feed.ts';
import { messagePage, presenceId, roomAddress, sessionKey } from './room-input.ts';
import { MessageWire, messageToWire, PresenceWire, presenceToWire } from './wire.ts';

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
    wait: z.coerce
      .number('must be a number of seconds')
      .transform((seconds) => Math.min(Math.max(seconds, waitSeconds.min), waitSeconds.max))
      .optional()
      .describe('Seconds to wait for a message when there is none, 1 to 25.'),
    presence_id: presenceId,
    session_key: sessionKey,
  }),
  async handler(ctx, { cursor, limit, wait, ...reader }): Promise<MessagePage> {
    const { services, org, room, signal } = ctx;
    const startedAt = performance.now();
    // A held read counts as activity once, at its start.
    const self = await touchReader(ctx, reader);
    const feed = roomFeed(org.id, room.key);
    let page = await readFeed(services, feed, { cursor, limit });
    if (page.rows.length === 0 && wait !== undefined) {
      const moved = await services.feeds.moved(feed, page.position, { timeoutMs: wait * 1000, signal });
      if (moved) page = await readFeed(services, feed, { cursor, limit });
    }
    const at = (position: bigint) => feedCursor(services.keys, feed, position);
    return {
      messages: page.rows,
      cursor: page.rows.length === 0 && cursor !== undefined && !page.reset ? cursor : at(page.position),
      hasMore: page.hasMore,
      reset: page.reset,
      earliestCursor: page.reset ? at(page.floor) : undefined,
      held:
        wait === undefined
          ? undefined
          : {
              waitedMs: Math.round(performance.now() - startedAt),
              live: (await livePresences(ctx)).filter(({ id }) => id !== self?.id),
            },
    };
  },
  wire: z.object({
    messages: z.array(MessageWire),
    cursor: z.string(),
    has_more: z.boolean(),
    reset: z.boolean().optional(),
    earliest_cursor: z.string().optional(),
    waited_ms: z.number().int().optional(),
    live_presences: z.array(PresenceWire).optional(),
  }),
  toWire: ({ messages, cursor, hasMore, reset, earliestCursor, held }, ctx) => ({
    messages: messages.map((message) => messageToWire(message, ctx)),
    cursor,
    has_more: hasMore,
    ...(reset ? { reset, earliest_cursor: earliestCursor } : {}),
    ...(held === undefined
      ? {}
      : { waited_ms: held.waitedMs, live_presences: held.live.map((presence) => presenceToWire(presence, ctx)) }),
  }),
});
