import { notAuthorized } from '../kernel/access/access.ts';
import { projectAuthority } from '../kernel/access/authority.ts';
import type { ChangeRow } from '../kernel/feeds/changes.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { MailboxMessage } from '../resolvers/mailboxes/message.ts';
import { changedMessage, type MessageChange } from '../resolvers/mailboxes/message-feed.ts';
import { openMailboxMessages } from '../resolvers/mailboxes/open-messages.ts';
import { mailboxActions } from '../resolvers/mailboxes/shared/actions.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowMailboxOptions {
  readonly project?: string | undefined;
  readonly mailbox?: string | undefined;
  /** Cursor to resume from. @default now */
  readonly after?: string | undefined;
  /** Ends after so many changes. @default never */
  readonly first?: number | undefined;
}

/** A mail as it stood after a change, with the cursor to resume after it. */
export interface MailboxMessageChanged {
  readonly cursor: string;
  readonly message: MailboxMessage;
  /** True on the first event when `after` could not be used: changes come from the earliest that is kept. */
  readonly reset: boolean;
}

const action = mailboxActions['project:mail:read'];

/** What comes in and what becomes of what is sent. Ends when the caller loses its right to the project. */
export const followMailbox = (
  ctx: Context,
  { project, mailbox, after, first }: FollowMailboxOptions,
): FeedSource<ChangeRow<MessageChange>, MailboxMessageChanged> =>
  new FeedSource(ctx, first, async () => {
    const asked = { project, mailbox, cursor: after };
    const { feed, position, head, reset, projectId } = await execute(openMailboxMessages, ctx, asked);
    return {
      feed,
      position,
      head,
      reset,
      // A change is the same for all readers.
      audience: feedKey(feed.name),
      authority: projectAuthority(await ctx.caller(), feed.name.orgId, projectId, action),
      revoked: () => notAuthorized(action, 'project_not_found'),
      selects: () => true,
      toEvent: eventsOf(ctx.services, feed),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.
const eventsOf =
  ({ keys }: Context['services'], feed: Feed<ChangeRow<MessageChange>>) =>
  ({ position, change }: ChangeRow<MessageChange>, reset: boolean): MailboxMessageChanged => ({
    cursor: feedCursor(keys, feed, position),
    message: changedMessage(change),
    reset,
  });
