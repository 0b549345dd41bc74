import type { Escalation } from '../db/schema/escalations.ts';
import type { ChangeRow } from '../kernel/feeds/changes.ts';
import { feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { escalationAuthority, escalationAuthorityLost } from '../resolvers/escalations/authority.ts';
import { type EscalationChange, escalationFeed, escalationOf } from '../resolvers/escalations/escalation-feed.ts';
import { openEscalationFeed } from '../resolvers/escalations/open-escalations.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowEscalationsOptions {
  readonly org: string;
  /** The one that is followed. @default all that the caller sees */
  readonly escalation?: string | undefined;
  /** Cursor to resume from. @default the earliest change that is kept */
  readonly after?: string | undefined;
  /** Ends after so many changes. @default never */
  readonly first?: number | undefined;
}

/** How an escalation stood after a change, with the cursor to resume after it. */
export interface EscalationEvent {
  readonly cursor: string;
  readonly escalation: Escalation;
  /** True on the first event when `after` could not be used: changes are read again from the earliest that is kept. */
  readonly reset: boolean;
}

type Row = ChangeRow<EscalationChange>;

/**
 * Changes of one escalation, or of all that the caller sees: a member everybody's, a delegate its own. Ends when the
 * right ends by which it was opened.
 *
 * Opening it throws NOT_AUTHORIZED for absent and foreign organizations alike, and RESOURCE_NOT_FOUND for an escalation
 * that the caller does not see.
 */
export const followEscalations = (
  ctx: Context,
  { org, escalation, after, first }: FollowEscalationsOptions,
): FeedSource<Row, EscalationEvent> =>
  new FeedSource(ctx, first, async () => {
    const opened = await execute(openEscalationFeed, ctx, { org, escalation, cursor: after });
    const { feed, position, head, reset, owner, escalationId } = opened;
    return {
      feed,
      position,
      head,
      reset,
      // A change is the same for everybody who sees it; which ones are seen, the owner says.
      audience: `${feedKey(feed.name)}:${escalationId ?? ''}:${owner ?? ''}`,
      selects: selectOf(escalationId, owner),
      authority: escalationAuthority(await ctx.caller(), feed.name.orgId, owner !== null),
      revoked: escalationAuthorityLost,
      toEvent: eventsOf(ctx.services, feed.name.orgId),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.

const selectOf =
  (id: string | undefined, owner: string | null) =>
  ({ objectId, change }: Row): boolean =>
    (id === undefined || objectId === id) && (owner === null || change.raisedBy === owner);

const eventsOf = (services: Services, orgId: string) => {
  const feed = escalationFeed(orgId);
  return ({ position, change }: Row, reset: boolean): EscalationEvent => ({
    cursor: feedCursor(services.keys, feed, position),
    escalation: escalationOf(change),
    reset,
  });
};
