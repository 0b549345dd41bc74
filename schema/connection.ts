import { dropNulls } from '../core/drop-nulls.ts';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { ListPage } from '../resolvers/list-page.ts';

/** Arguments of a page, in either direction. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** Which page is asked for. */
export interface PageWindow {
  /** Rows on the page; the list's own default when absent. */
  readonly limit: number | undefined;
  /** The row it is read from; an end of the list when absent. */
  readonly cursor: string | undefined;
  readonly backward: boolean;
}

/** @throws VALIDATION_FAILED for a page that would be read both ways; how many rows it has, `pageArgs` checks */
export function windowOf({ first, after, last, before }: PageArgs): PageWindow {
  const backward = last != null || before != null;
  if (backward && (first != null || after != null)) {
    throw invalidField('last', '`last` and `before` read backwards and do not go with `first` and `after`');
  }
  return { limit: (backward ? last : first) ?? undefined, cursor: (backward ? before : after) ?? undefined, backward };
}

/** The same page for an operation over a keyset list. */
export function listWindowOf(args: PageArgs) {
  const { limit, cursor, backward } = windowOf(args);
  return backward
    ? dropNulls({ limit, before: cursor, from_end: cursor === undefined })
    : dropNulls({ limit, after: cursor });
}

/** One page of a list, with the cursor of each row. */
export interface Page<Node> {
  readonly rows: readonly { readonly node: Node; readonly cursor: string }[];
  readonly hasNext: boolean;
  /** Whether rows come before this page. */
  readonly hasPrevious: boolean;
}

/** A page in the shape of a Relay connection. */
export const toConnection = <Node>({ rows, hasNext, hasPrevious }: Page<Node>) => ({
  edges: [...rows],
  pageInfo: {
    hasNextPage: hasNext,
    hasPreviousPage: hasPrevious,
    // A cursor may be sealed only when it is asked for.
    get startCursor() {
      return rows[0]?.cursor ?? null;
    },
    get endCursor() {
      return rows.at(-1)?.cursor ?? null;
    },
  },
});

/** What lies around a page, told from the direction it was read in. */
export const around = ({ cursor, backward }: PageWindow, hasMore: boolean) =>
  backward
    ? { hasNext: cursor !== undefined, hasPrevious: hasMore }
    : { hasNext: hasMore, hasPrevious: cursor !== undefined };

/** A keyset page of an operation as a connection. */
export const listConnection = <Row>({ rows, hasMore }: ListPage<Row>, args: PageArgs) =>
  toConnection({
    rows: rows.map((found) => ({
      node: found.row,
      get cursor() {
        return found.cursor;
      },
    })),
    ...around(windowOf(args), hasMore),
  });

/** Rows on a page unless told otherwise, and at most. */
export const rowsDefault = 50;
export const rowsMax = 200;

/**
 * A list that is short by its nature, paged in memory. Its cursors are the nodes' own ids.
 *
 * @throws VALIDATION_FAILED for arguments that make no page, INVALID_CURSOR for a cursor of another list
 */
export function sliceConnection<Node>(nodes: readonly Node[], idOf: (node: Node) => string, args: PageArgs) {
  const { limit = rowsDefault, cursor, backward } = windowOf(args);
  const found = cursor === undefined ? undefined : nodes.findIndex((node) => idOf(node) === cursor);
  if (found === -1) throw new ServiceError('INVALID_CURSOR', { details: { field: backward ? 'before' : 'after' } });
  const rows = Math.min(limit, rowsMax);
  const from = backward ? Math.max(0, (found ?? nodes.length) - rows) : found === undefined ? 0 : found + 1;
  const to = Math.min(backward ? (found ?? nodes.length) : from + rows, nodes.length);
  return toConnection({
    rows: nodes.slice(from, to).map((node) => ({ node, cursor: idOf(node) })),
    hasNext: to < nodes.length,
    hasPrevious: from > 0,
  });
}

/** Rows in the order of the keys they were asked by; null where there is none. */
export function inOrder<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | null)[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => byKey.get(key) ?? null);
}
