import { roomAuthority } from '../kernel/access/authority.ts';
import type { ChangeRow } from '../kernel/feeds/changes.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Opened } from '../kernel/feeds/open-feed.ts';
import type { Context } from '../kernel/run/context.ts';
import { roomAuthorityLost } from '../resolvers/rooms/authority-lost.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowChangesOptions {
  readonly org: string;
  readonly room: string;
  /** Cursor to resume from. @default the earliest change that is kept */
  readonly after?: string | undefined;
  /** Ends after so many changes. @default never */
  readonly first?: number | undefined;
}

/** A change as it arrives, with the cursor to resume after it. */
export interface ChangeEvent<Change> {
  readonly cursor: string;
  readonly change: Change;
  /** True on the first event when `after` could not be used: the feed is read again from its beginning. */
  readonly reset: boolean;
}

/**
 * Changes of one kind in a room, oldest first, then what comes. Resuming from a cursor leaves no gap and no repeat. Ends
 * when the caller loses its right to the room.
 *
 * @param open admits the caller
 * @param selects which changes are shown; it depends on arguments alone
 */
export const followChanges = <Change>(
  ctx: Context,
  { room, first }: FollowChangesOptions,
  open: () => Promise<Opened<ChangeRow<Change>>>,
  selects?: (row: ChangeRow<Change>) => boolean,
): FeedSource<ChangeRow<Change>, ChangeEvent<Change>> =>
  new FeedSource(ctx, first, async () => {
    const opened = await open();
    const { name } = opened.feed;
    return {
      ...opened,
      // A change is the same for all readers of the room.
      audience: feedKey(name),
      authority: roomAuthority(await ctx.caller(), name.orgId, room),
      revoked: roomAuthorityLost,
      selects,
      toEvent: eventsOf(ctx.services, opened.feed),
    };
  });

/** Out here, so that an audience, which outlives who began it, holds nothing of its subscribers. */
const eventsOf =
  <Change>({ keys }: Context['services'], feed: Feed<ChangeRow<Change>>) =>
  ({ position, change }: ChangeRow<Change>, reset: boolean): ChangeEvent<Change> => ({
    cursor: feedCursor(keys, feed, position),
    change,
    reset,
  });
