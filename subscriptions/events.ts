import { notAuthorized } from '../kernel/access/access.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { type EventView, viewKey } from '../resolvers/events/event-view.ts';
import { openEvents } from '../resolvers/events/open-events.ts';
import { type EventRow, readEvents } from '../resolvers/events/read-events.ts';
import { cursorOf } from '../resolvers/events/wire.ts';
import { orgActions } from '../resolvers/orgs/shared/actions.ts';
import { projectActions } from '../resolvers/projects/shared/actions.ts';
import { FeedSource } from './feed-source.ts';
import type { PastPage } from './opened-feed.ts';

export interface FollowEventsOptions {
  /** With a project its owner. */
  readonly org?: string | undefined;
  readonly project?: string | undefined;
  readonly source?: string | undefined;
  readonly types?: string[] | undefined;
  /** Cursor to resume from. @default the earliest event that is kept */
  readonly after?: string | undefined;
  /** Ends after so many events. @default never */
  readonly first?: number | undefined;
}

/** An event as it becomes known, with the cursor to resume after it. */
export interface FollowedEvent {
  readonly cursor: string;
  readonly event: EventRow;
  /** True on the first one when `after` could not be used: the view is read again from its beginning. */
  readonly reset: boolean;
}

/**
 * What happened in a project or an organization, oldest first, then what happens. Resuming from a cursor of the same
 * view leaves no gap and no repeat. Ends when the caller loses its right to it.
 *
 * Opening it throws NOT_AUTHORIZED for what is absent and what is foreign alike; so does following it, when the right
 * has ended.
 */
export const followEvents = (
  ctx: Context,
  { types, after, first, ...target }: FollowEventsOptions,
): FeedSource<EventRow, FollowedEvent> =>
  new FeedSource(ctx, first, async () => {
    const opened = await execute(
      openEvents,
      ctx,
      { ...target, event_type: types, cursor: after },
      (name) => spelling[name] ?? name,
    );
    const { feed, view, position, head, reset, authority } = opened;
    const { services } = ctx;
    return {
      feed,
      position,
      head,
      reset,
      // An event is the same for all its readers, and so is its cursor within one view.
      audience: viewKey(view),
      authority,
      revoked: view.projectId === null ? orgLost : projectLost,
      selects: selectedBy(view),
      past: pastOf(services, view),
      toEvent: eventsOf(services, view),
    };
  });

const spelling: Readonly<Record<string, string>> = { event_type: 'types', cursor: 'after' };

const orgLost = () => notAuthorized(orgActions['org:read'], 'member');
const projectLost = () => notAuthorized(projectActions['project:read'], 'project_not_found');

function selectedBy({ projectId, source, types }: EventView): (row: EventRow) => boolean {
  const wanted = types === undefined ? undefined : new Set(types);
  return (row) =>
    (projectId === null || row.projectId === projectId) &&
    (source === undefined || row.source === source) &&
    (wanted === undefined || wanted.has(row.type));
}

/** Farther than any log was ever thinned out. */
const anywhere = { floor: 2n ** 63n - 1n, longFloor: 2n ** 63n - 1n };

/** A view is a small part of its organization's log, maybe, and has its own index. */
const pastOf =
  ({ db, feeds }: Services, view: EventView, epoch = feeds.epoch) =>
  async (after: bigint, limit: number): Promise<PastPage<EventRow>> => {
    const { rows, head, usable } = await readEvents(db, view, { position: after, ...anywhere }, limit);
    // Set back meanwhile, as by a restore: a follower of the log itself finds out.
    if (!usable) return { rows: [], upTo: after };
    if (feeds.epoch !== epoch) return { rows: [], upTo: 0n };
    return { rows, upTo: rows.length < limit ? head : rows.at(-1)!.position };
  };

/** Out here, so that an audience, which outlives who began it, holds nothing of its subscribers. */
const eventsOf =
  (services: Services, view: EventView) =>
  (event: EventRow, reset: boolean): FollowedEvent => ({
    cursor: cursorOf({ services }, view, event),
    event,
    reset,
  });
