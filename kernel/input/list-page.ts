import { z } from 'zod';
import { openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
import { cursor, pageLimit } from './fields.ts';

/** Where a page of a keyset list lies. A page towards the beginning is the rows nearest to `before`, in list order. */
export const listWindow = {
  limit: pageLimit,
  after: cursor.optional().describe('Only rows after this cursor.'),
  before: cursor.optional().describe('Only rows before this cursor, those nearest to it.'),
  from_end: z.boolean().default(false).describe('The last rows of the list, rather than its first.'),
};

export interface ListWindow {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly from_end: boolean;
}

/**
 * A row with its cursor, which is sealed when it is asked for: a documented page shows the last row's alone.
 *
 * A class, as whatever answers something late has to be: an object literal with a getter is of a shape of its own each
 * time, and the engine keeps shapes, and with them what the getter closes over, until its next full collection.
 */
class SealedRow<Row> {
  readonly row: Row;
  readonly #seal: (row: Row) => string;

  constructor(row: Row, seal: (row: Row) => string) {
    this.row = row;
    this.#seal = seal;
  }

  get cursor(): string {
    return this.#seal(this.row);
  }
}

/** Rows of a keyset list, each with its cursor. */
export interface ListPage<Row> {
  readonly rows: readonly { readonly row: Row; readonly cursor: string }[];
  /** Whether there are more in the direction that was read. */
  readonly hasMore: boolean;
}

/** Where a page begins: the key of the row it is read from; nulls for an end of the list. */
export type ListPosition = readonly (string | null)[];

/** The parts of a list statement that depend on the direction: a condition on the key's parameters, and the order. */
export interface Direction {
  readonly name: 'forward' | 'backward';
  readonly beyond: (alias: string, firstParameter: number) => string;
  readonly order: (alias: string) => string;
}

/** What a list is ordered by; an index has to have these columns in this order. */
interface ListKey<Row> {
  readonly columns: readonly string[];
  /** Type of the first column with values below and above all that it holds: where a list is read from its ends. */
  readonly first: { readonly type: string; readonly below: string; readonly above: string };
  /** The key of a row: no part holds a `|`. */
  readonly of: (row: Row) => readonly string[];
}

export const isBackward = ({ before, from_end }: ListWindow) => before !== undefined || from_end;

/** The tools of lists that are ordered by one key, newest first. */
export function listsBy<Keyed>({ columns, first: { type, below, above }, of }: ListKey<Keyed>) {
  const names = (alias: string) => columns.map((column) => `${alias}.${column}`);
  const direction = (name: Direction['name'], sign: '<' | '>', end: string, order: 'desc' | 'asc'): Direction => ({
    name,
    // Without a position the end is compared with: so each plan, one for all positions too, begins at its place in the index.
    beyond: (alias, at) =>
      `(${names(alias).join(', ')}) ${sign} (${columns
        .map((_, i) => (i === 0 ? `coalesce($${at}::${type}, '${end}')` : `$${at + i}`))
        .join(', ')})`,
    order: (alias) => `order by ${names(alias).join(` ${order}, `)} ${order}`,
  });

  /** One statement for each direction of a list that is shown newest first. */
  const bothWays = (statement: (way: Direction) => Statement) => ({
    forward: statement(direction('forward', '<', above, 'desc')),
    backward: statement(direction('backward', '>', below, 'asc')),
  });

  /** Keyset pages, newest first; a cursor is good for the very list that gave it out. */
  const newestFirst = (keys: KeyRing, list: string) => {
    const view = { prefix: '', kind: 'list', view: list } as const;
    const seal = (row: Keyed) => sealCursor(keys, view, of(row).join('|'));
    const position = (cursor: string | undefined, field: string): ListPosition => {
      if (cursor === undefined) return columns.map(() => null);
      const parts = openCursor(keys, view, cursor)?.split('|');
      if (parts?.length !== columns.length) throw new ServiceError('INVALID_CURSOR', { details: { field } });
      return parts;
    };
    return {
      /** @param after what the surface calls that input @throws INVALID_CURSOR */
      positionOf: (window: ListWindow, after = 'after'): ListPosition =>
        isBackward(window) ? position(window.before, 'before') : position(window.after, after),
      statementOf: (window: ListWindow, statements: ReturnType<typeof bothWays>): Statement =>
        isBackward(window) ? statements.backward : statements.forward,
      /** @param found one row more than asked, when there are more */
      pageOf<Row extends Keyed>(found: readonly Row[], window: ListWindow): ListPage<Row> {
        const rows = found.slice(0, window.limit);
        if (isBackward(window)) rows.reverse();
        return { rows: rows.map((row) => new SealedRow(row, seal)), hasMore: found.length > window.limit };
      },
    };
  };
  return { bothWays, newestFirst };
}

/** Lists of rows by the time they were made, which most are. */
export const { bothWays, newestFirst } = listsBy<{ readonly id: string; readonly createdAt: Date }>({
  columns: ['created_at', 'id'],
  first: { type: 'timestamptz', below: '-infinity', above: 'infinity' },
  of: ({ id, createdAt }) => [createdAt.toISOString(), id],
});

/** Lists of rows by the order in which they were written. */
export const bySeq = listsBy<{ readonly seq: bigint }>({
  columns: ['seq'],
  first: { type: 'bigint', below: '0', above: `${2n ** 63n - 1n}` },
  of: ({ seq }) => [String(seq)],
});

/** The members every keyset page ends with. Contract 01, section 1.17. */
export const pageToWire = ({ rows, hasMore }: ListPage<unknown>) => ({
  has_more: hasMore,
  next_cursor: hasMore ? rows.at(-1)!.cursor : null,
});
