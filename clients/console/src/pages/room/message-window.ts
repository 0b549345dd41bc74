import type { MessageLineFragment } from './room.graphql.ts';

/** Messages beside each other, oldest first, out of a room of any size. */
export interface MessageWindow {
  readonly rows: readonly MessageLineFragment[];
  /** Cursor of the earlier messages; undefined when the window begins with the first message. */
  readonly before: string | undefined;
  /** Cursor of the later messages; undefined when the window ends with the newest message, and new ones are added. */
  readonly after: string | undefined;
  /** Messages that were sent while the page with the newest ones was being read. */
  readonly late: readonly MessageLineFragment[];
  /** How many messages were sent since the window was opened. */
  readonly arrived: number;
}

/** How many messages a window keeps. A page may stay open for days, and a reader may scroll for long. */
export const windowSize = 1_000;

const endOf = (rows: readonly MessageLineFragment[]) => rows.at(-1)?.cursor;

/** Adds a page that was read before the first row. Rows at the other end make room. */
export function withEarlier(
  now: MessageWindow,
  page: readonly MessageLineFragment[],
  before: string | undefined,
): MessageWindow {
  const rows = [...page, ...now.rows].slice(0, windowSize);
  const isCut = rows.length < page.length + now.rows.length;
  return { ...now, rows, before, after: isCut ? endOf(rows) : now.after };
}

/** Adds a page that was read after the last row. @param isNewest whether it ended with the newest message */
export function withLater(now: MessageWindow, page: readonly MessageLineFragment[], isNewest: boolean): MessageWindow {
  const all = joined([...now.rows, ...page], isNewest ? now.late : []);
  const rows = all.slice(-windowSize);
  const before = rows.length < all.length ? rows[0]!.cursor : now.before;
  return { ...now, rows, before, after: isNewest ? undefined : (endOf(rows) ?? now.after), late: [] };
}

/**
 * Adds a message that was sent just now.
 *
 * @param readsBack whether its reader looks at earlier messages, which then must not make room for new ones
 */
export function withNew(now: MessageWindow, row: MessageLineFragment, readsBack: boolean): MessageWindow {
  const arrived = now.arrived + 1;
  if (now.after !== undefined) return { ...now, arrived, late: [...now.late, row].slice(-windowSize) };
  const rows = joined(now.rows, [row]);
  if (rows.length <= windowSize) return { ...now, arrived, rows };
  if (readsBack) return { ...now, arrived, rows: now.rows, after: endOf(now.rows), late: [row] };
  const kept = rows.slice(-windowSize);
  return { ...now, arrived, rows: kept, before: kept[0]!.cursor };
}

/** A page and the feed may both have a message. */
function joined(
  rows: readonly MessageLineFragment[],
  more: readonly MessageLineFragment[],
): readonly MessageLineFragment[] {
  if (more.length === 0) return rows;
  const known = new Set(rows.map(({ messageId }) => messageId));
  return [...rows, ...more.filter(({ messageId }) => !known.has(messageId))];
}
