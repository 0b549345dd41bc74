import { ServiceError } from '../core/errors.ts';
import type { ListPage } from '../resolvers/list-page.ts';

/** Arguments of a forward page. */
export interface PageArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** One page of a list, with the cursor of each row. */
export interface Page<Node> {
  readonly rows: readonly { readonly node: Node; readonly cursor: string }[];
  readonly hasNext: boolean;
  /** Whether rows come before this page; so for every page that was asked for after a cursor. */
  readonly hasPrevious: boolean;
}

/** A page in the shape of a Relay connection. */
export const toConnection = <Node>({ rows, hasNext, hasPrevious }: Page<Node>) => ({
  edges: rows.map(({ node, cursor }) => ({ node, cursor })),
  pageInfo: {
    hasNextPage: hasNext,
    hasPreviousPage: hasPrevious,
    startCursor: rows[0]?.cursor ?? null,
    endCursor: rows.at(-1)?.cursor ?? null,
  },
});

/** A keyset page of an operation as a connection. */
export const listConnection = <Row>({ rows, hasMore }: ListPage<Row>, { after }: PageArgs) =>
  toConnection({
    rows: rows.map(({ row, cursor }) => ({ node: row, cursor })),
    hasNext: hasMore,
    hasPrevious: after != null,
  });

/** Rows on a page unless told otherwise, and at most. */
const rowsDefault = 50;
const rowsMax = 200;

/**
 * A list that is short by its nature, paged in memory. Its cursors are the nodes' own ids.
 *
 * @throws VALIDATION_FAILED for a `first` below one, INVALID_CURSOR for a cursor of another list
 */
export function sliceConnection<Node>(
  nodes: readonly Node[],
  idOf: (node: Node) => string,
  { first, after }: PageArgs,
) {
  if (first != null && first < 1) {
    throw new ServiceError('VALIDATION_FAILED', { message: 'first: must be at least 1', details: { field: 'first' } });
  }
  const before = after == null ? -1 : nodes.findIndex((node) => idOf(node) === after);
  if (after != null && before === -1) throw new ServiceError('INVALID_CURSOR', { details: { field: 'after' } });
  const to = before + 1 + Math.min(first ?? rowsDefault, rowsMax);
  return toConnection({
    rows: nodes.slice(before + 1, to).map((node) => ({ node, cursor: idOf(node) })),
    hasNext: to < nodes.length,
    hasPrevious: before >= 0,
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
