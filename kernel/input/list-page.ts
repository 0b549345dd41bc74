import { z } from 'zod';
import { openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import { Column, is, type SQL, sql } from '../../db/drizzle.ts';
import { type Computed, type SqlType, typed, typeOf } from '../../db/sql.ts';
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
export type ListPosition<Key extends string> = { readonly [Name in Key]: string | null };

/** The parts of a list statement that depend on the direction. */
export interface Direction<Key extends string> {
  readonly name: 'forward' | 'backward';
  /** Parameters for the position. */
  readonly params: { readonly [Name in Key]: SqlType<string | null> };
  /** Rows beyond the position. */
  readonly beyond: (position: { readonly [Name in Key]: SQL }) => SQL;
  readonly order: SQL;
}

/** The columns that a list is ordered by, of a table or worked out. */
type Keys<Key extends string> = { readonly [Name in Key]: Column | Computed<unknown> };

/** What a list is ordered by; an index has to have these columns in this order. */
interface ListKey<Row, Key extends string> {
  readonly columns: readonly Key[];
  /** Type of the first column with values below and above all that it holds: where a list is read from its ends. */
  readonly first: { readonly type: string; readonly below: string; readonly above: string };
  /** The key of a row: no part holds a `|`. */
  readonly of: (row: Row) => readonly string[];
}

export const isBackward = ({ before, from_end }: ListWindow) => before !== undefined || from_end;

/** The tools of lists that are ordered by one key, newest first. */
export function listsBy<Keyed, const Key extends string>({
  columns,
  first: { type, below, above },
  of,
}: ListKey<Keyed, Key>) {
  const list = (pieces: readonly SQL[]) => sql.join([...pieces], sql`, `);
  const direction = (
    table: Keys<Key>,
    name: 'forward' | 'backward',
    { sign, end, order }: { readonly sign: '<' | '>'; readonly end: string; readonly order: 'desc' | 'asc' },
  ): Direction<Key> => {
    const names = columns.map((key) =>
      is(table[key], Column) ? sql`${table[key]}` : (table[key] as Computed<unknown>).sql,
    );
    const types = columns.map((key, at) => [key, typed(at === 0 ? type : typeOf(table[key]))]);
    return {
      name,
      params: Object.fromEntries(types) as Direction<Key>['params'],
      // Without a position the end is compared with: so each plan, one for all positions too, begins at its place in the index.
      beyond: (position) =>
        sql`(${list(names)}) ${sql.raw(sign)} (${list(
          columns.map((key, at) =>
            at === 0 ? sql`coalesce(${position[key]}::${sql.raw(type)}, ${sql.raw(`'${end}'`)})` : position[key],
          ),
        )})`,
      order: sql`order by ${list(names.map((one) => sql`${one} ${sql.raw(order)}`))}`,
    };
  };

  /**
   * One statement for each direction of a list that is shown newest first.
   *
   * @param table has the columns that the list is ordered by
   */
  const bothWays = <Made>(table: Keys<Key>, make: (way: Direction<Key>) => Made) => ({
    forward: make(direction(table, 'forward', { sign: '<', end: above, order: 'desc' })),
    backward: make(direction(table, 'backward', { sign: '>', end: below, order: 'asc' })),
  });

  /** Keyset pages, newest first; a cursor is good for the very list that gave it out. */
  const newestFirst = (keys: KeyRing, list: string) => {
    const view = { prefix: '', kind: 'list', view: list } as const;
    const seal = (row: Keyed) => sealCursor(keys, view, of(row).join('|'));
    const at = (parts: readonly string[] | undefined) =>
      Object.fromEntries(columns.map((key, place) => [key, parts?.[place] ?? null])) as ListPosition<Key>;
    const position = (cursor: string | undefined, field: string): ListPosition<Key> => {
      if (cursor === undefined) return at(undefined);
      const parts = openCursor(keys, view, cursor)?.split('|');
      if (parts?.length !== columns.length) throw new ServiceError('INVALID_CURSOR', { details: { field } });
      return at(parts);
    };
    return {
      /** @param after what the surface calls that input @throws INVALID_CURSOR */
      positionOf: (window: ListWindow, after = 'after'): ListPosition<Key> =>
        isBackward(window) ? position(window.before, 'before') : position(window.after, after),
      statementOf: <Made>(window: ListWindow, statements: { readonly forward: Made; readonly backward: Made }): Made =>
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
export const { bothWays, newestFirst } = listsBy({
  columns: ['createdAt', 'id'],
  first: { type: 'timestamp with time zone', below: '-infinity', above: 'infinity' },
  of: ({ id, createdAt }: { readonly id: string; readonly createdAt: Date }) => [createdAt.toISOString(), id],
});

/** Lists of rows by the order in which they were written. */
export const bySeq = listsBy({
  columns: ['seq'],
  first: { type: 'bigint', below: '0', above: `${2n ** 63n - 1n}` },
  of: ({ seq }: { readonly seq: bigint }) => [String(seq)],
});

/** The members every keyset page ends with. Contract 01, section 1.17. */
export const pageToWire = ({ rows, hasMore }: ListPage<unknown>) => ({
  has_more: hasMore,
  next_cursor: hasMore ? rows.at(-1)!.cursor : null,
});
