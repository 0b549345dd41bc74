import type { PendingMessage } from './pending.ts';
import type { MessageLineFragment } from './room.graphql.ts';

/** A row of the list: a message, and what stands above it. */
export interface MessageEntry {
  readonly kind: 'message';
  readonly key: string;
  readonly message: MessageLineFragment;
  /** Whether it begins a group: it shows its sender. */
  readonly leads: boolean;
  /** The day that begins with it. */
  readonly day: string | undefined;
  /** Whether it is the first that its reader has not seen. */
  readonly isFirstUnread: boolean;
}

export type Entry = MessageEntry | { readonly kind: 'pending'; readonly key: string; readonly pending: PendingMessage };

/** Messages of one sender within this time form a group, in milliseconds. */
const groupMs = 5 * 60_000;

const dayOf = (at: string) => new Date(at).toDateString();

/**
 * Groups messages by sender and day.
 *
 * @param seenAt time of the newest message that the reader has seen; undefined: no message is new
 * @param mine the reader's presence, whose messages are never new
 */
export function entriesOf(
  rows: readonly MessageLineFragment[],
  pending: readonly PendingMessage[],
  seenAt: string | undefined,
  mine: string | undefined,
): readonly Entry[] {
  const seen = seenAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(seenAt);
  let isMarked = false;
  const entries = rows.map((message, index): Entry => {
    const previous = rows[index - 1];
    const at = Date.parse(message.createdAt);
    const isNewDay = previous === undefined || dayOf(previous.createdAt) !== dayOf(message.createdAt);
    // Only between a message that was seen and one that was not: above the window there may be more of either.
    const isFirstUnread =
      !isMarked &&
      previous !== undefined &&
      Date.parse(previous.createdAt) <= seen &&
      at > seen &&
      message.senderPresenceId !== mine;
    isMarked ||= isFirstUnread;
    const leads =
      isNewDay ||
      isFirstUnread ||
      previous.senderPresenceId !== message.senderPresenceId ||
      previous.threadId !== message.threadId ||
      at - Date.parse(previous.createdAt) > groupMs;
    const day = isNewDay ? message.createdAt : undefined;
    return { kind: 'message', key: message.messageId, message, leads, day, isFirstUnread };
  });
  return [...entries, ...pending.map((one): Entry => ({ kind: 'pending', key: one.key, pending: one }))];
}
