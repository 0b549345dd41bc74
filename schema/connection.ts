import { dropNulls } from '../core/drop-nulls.ts';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { ListPage } from '../kernel/input/list-page.ts';

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

/** Inputs of an operation over a keyset list that a page takes the place of. */
export const windowInputs = ['limit', 'after', 'before', 'from_end'] as const;

/** The same page for an operation over a keyset list. */
export function listWindowOf(args: PageArgs) {
  const { limit, cursor, backward } = windowOf(args);
  return backward
    ? dropNulls({ limit, before: cursor, from_end: cursor === undefined })
    : dropNulls({ limit, after: cursor });
}

/** A row of a page. */
interface Edge<Node> {
  readonly node: Node;
  readonly cursor: string;
}

/** A row of a page whose cursor is sealed when it is asked for; a class, for the reason that `SealedRow` gives. */
export class SealedEdge<Node> implements Edge<Node> {
  readonly node: Node;
  readonly #seal: (node: Node) => string;

  constructor(node: Node, seal: (node: Node) => string) {
    this.node = node;
    this.#seal = seal;
  }

  get cursor(): string {
    return this.#seal(this.node);
  }
}

/** One page of a list, with the cursor of each row. */
export interface Page<Node> {
  readonly rows: readonly Edge<Node>[];
  readonly hasNext: boolean;
  /** Whether rows come before this page. */
  readonly hasPrevious: boolean;
}

/** Where a page begins and ends, told when it is asked. */
class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #rows: readonly Edge<unknown>[];

  constructor({ rows, hasNext, hasPrevious }: Page<unknown>) {
    this.hasNextPage = hasNext;
    this.hasPreviousPage = hasPrevious;
    this.#rows = rows;
  }

  get startCursor(): string | null {
    return this.#rows[0]?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.#rows.at(-1)?.cursor ?? null;
  }
}

/** A page in the shape of a Relay connection. */
export const toConnection = <Node>(page: Page<Node>) => ({ edges: [...page.rows], pageInfo: new PageInfo(page) });

/** What lies around a page, told from the direction it was read in. */
export const around = ({ cursor, backward }: PageWindow, hasMore: boolean) =>
  backward
    ? { hasNext: cursor !== undefined, hasPrevious: hasMore }
    : { hasNext: hasMore, hasPrevious: cursor !== undefined };

/** A keyset page of an operation as a connection. */
export const listConnection = <Row>({ rows, hasMore }: ListPage<Row>, args: PageArgs) =>
  toConnection({
    rows: rows.map((found) => new SealedEdge(found.row, () => found.cursor)),
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
