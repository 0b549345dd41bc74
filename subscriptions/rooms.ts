import { invalidField } from '../core/errors.ts';
import type { RoomMessage } from '../db/schema/rooms.ts';
import { roomAuthority, roomAuthorityLost } from '../resolvers/authority.ts';
import type { Context, Services } from '../resolvers/context.ts';
import { execute } from '../resolvers/execute.ts';
import { feedKey } from '../resolvers/feeds.ts';
import { openRoom } from '../resolvers/rooms/open-room.ts';
import { messageCursor } from '../resolvers/rooms/wire.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowRoomOptions {
  readonly org: string;
  readonly room: string;
  /** Cursor to resume from. @default the beginning of the room */
  readonly after?: string | undefined;
  /** Ends after so many messages. @default never */
  readonly first?: number | undefined;
}

/** A message as it arrives, with the cursor to resume after it. */
export interface RoomEvent {
  readonly cursor: string;
  readonly message: RoomMessage;
  /** True on the first event when `after` could not be used: the room is read again from its beginning. */
  readonly reset: boolean;
}

/**
 * A room's messages, oldest first, then what comes. Resuming from a cursor leaves no gap and no repeat. Ends when the
 * caller loses its right to the room.
 *
 * Opening it throws NOT_AUTHORIZED for absent and foreign rooms alike; so does following it, when the right has ended.
 */
export const followRoom = (
  ctx: Context,
  { org, room, after, first }: FollowRoomOptions,
): FeedSource<RoomMessage, RoomEvent> =>
  new FeedSource(ctx, async () => {
    if (first !== undefined && first < 1) {
      throw invalidField('first', 'must be at least 1');
    }
    const { feed, position, head, reset } = await execute(openRoom, ctx, { org, room, cursor: after });
    return {
      feed,
      position,
      head,
      reset,
      first,
      // A message is the same for everybody who may read the room.
      audience: feedKey(feed.name),
      authority: roomAuthority(await ctx.caller(), feed.name.orgId, room),
      revoked: roomAuthorityLost,
      toEvent: eventsOf(ctx.services),
    };
  });

/** Out here, so that an audience, which outlives who began it, holds nothing of its subscribers. */
const eventsOf =
  (services: Services) =>
  (message: RoomMessage, reset: boolean): RoomEvent => ({
    cursor: messageCursor(message, { services }),
    message,
    reset,
  });
