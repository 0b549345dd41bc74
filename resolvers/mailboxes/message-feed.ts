import type { FeedAppend } from '../../kernel/durability/unit-of-work.ts';
import { appendChange, changeFeed } from '../../kernel/feeds/changes.ts';
import type { FeedName } from '../../kernel/feeds/feeds.ts';
import type { MailboxMessage } from './message.ts';

/** The mail of a mailbox that comes in, goes out, or stands otherwise. */
const nameOf = (orgId: string, feedId: string): FeedName => ({ orgId, kind: 'mail', feedId });

type Moments = 'createdAt' | 'sentAt' | 'receivedAt';

/** A mail as JSON keeps it. */
export type MessageChange = Omit<MailboxMessage, Moments> & {
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly receivedAt: string | null;
};

const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** A mail as it stood after a change. */
export const changedMessage = (change: MessageChange): MailboxMessage => ({
  ...change,
  createdAt: new Date(change.createdAt),
  sentAt: momentOf(change.sentAt),
  receivedAt: momentOf(change.receivedAt),
});

/** What becomes of the mail of a mailbox, in one order. */
export const messageFeed = (orgId: string, mailboxId: string) =>
  changeFeed<MessageChange>(nameOf(orgId, mailboxId), 'mlc_');

/** A mail that was written, came in, or stands otherwise than before. */
export const messageChanged = (
  { orgId, mailboxId }: { readonly orgId: string; readonly mailboxId: string },
  message: MailboxMessage,
): FeedAppend => appendChange(nameOf(orgId, mailboxId), message.id, message);
