import type { RoomMessage } from '../db/schema/rooms.ts';
import { roomAuthority } from '../kernel/access/authority.ts';
import { feedKey } from '../kernel/feeds/feeds.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { roomAuthorityLost } from '../resolvers/rooms/authority-lost.ts';
import { type MessageFilter, passes, picks } from '../resolvers/rooms/message-filter.ts';
import { openRoom } from '../resolvers/rooms/open-room.ts';
import { messageCursor } from '../resolvers/rooms/shared/wire.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowRoomOptions {
  readonly org: string;
  readonly room: string;
  /** Cursor to resume from. @default the beginning of the room */
  readonly after?: string | undefined;
  /** Ends after so many messages. @default never */
  readonly first?: number | undefined;
  /** Only messages of this thread. @default all */
  readonly thread_id?: string | undefined;
  /** Only messages that name the presence which `presence_id` or `session_key` says. @default all */
  readonly addressed_to?: 'me' | undefined;
  readonly presence_id?: string | undefined;
  readonly session_key?: string | undefined;
  /** Only messages as loud as this. @default all */
  readonly importance?: RoomMessage['importance'] | undefined;
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
  { org, room, after, first, importance, ...wanted }: FollowRoomOptions,
): FeedSource<RoomMessage, RoomEvent> =>
  new FeedSource(ctx, first, async () => {
    const opened = await execute(openRoom, ctx, { org, room, cursor: after, ...wanted });
    const { feed, position, head, reset, filter } = opened;
    return {
      feed,
      position,
      head,
      reset,
      // A message is the same for all readers of the room; which are shown depends on who "me" is.
      audience: `${feedKey(feed.name)} ${filter.addressedTo ?? ''}`,
      selects: selectorOf(filter, importance),
      authority: roomAuthority(await ctx.caller(), feed.name.orgId, room),
      revoked: roomAuthorityLost,
      toEvent: eventsOf(ctx.services),
    };
  });

/** Out here, as {@link eventsOf}. Undefined: nothing is left out. */
function selectorOf(filter: MessageFilter, importance: RoomMessage['importance'] | undefined) {
  if (!picks(filter) && importance === undefined) return undefined;
  return (message: RoomMessage): boolean =>
    passes(filter, message) && (importance === undefined || message.importance === importance);
}

/** Out here, so that an audience, which outlives who began it, holds nothing of its subscribers. */
const eventsOf =
  (services: Services) =>
  (message: RoomMessage, reset: boolean): RoomEvent => ({
    cursor: messageCursor(message, { services }),
    message,
    reset,
  });
