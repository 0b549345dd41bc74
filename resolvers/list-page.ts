import { z } from 'zod';
import { openCursor, sealCursor } from '../core/cursors.ts';
import { ServiceError } from '../core/errors.ts';
import type { KeyRing } from '../core/keys.ts';
import type { Statement } from '../db/pool.ts';
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

/** Rows of a keyset list, each with its cursor. */
export interface ListPage<Row> {
  readonly rows: readonly { readonly row: Row; readonly cursor: string }[];
  /** Whether there are more in the direction that was read. */
  readonly hasMore: boolean;
}

interface Keyed {
  readonly id: string;
  readonly createdAt: Date;
}

/** Where a page begins: the time and id of the row it is read from; nulls for an end of the list. */
export type ListPosition = readonly [time: string | null, id: string | null];

/** The parts of a list statement that depend on the direction: a condition on two parameters, and the order. */
export interface Direction {
  readonly name: 'forward' | 'backward';
  readonly beyond: (alias: string, firstParameter: number) => string;
  readonly order: (alias: string) => string;
}

const direction = (name: Direction['name'], sign: '<' | '>', order: 'desc' | 'asc'): Direction => ({
  name,
  beyond: (alias, first) =>
    `($${first}::timestamptz is null or (${alias}.created_at, ${alias}.id) ${sign} ($${first}, $${first + 1}))`,
  order: (alias) => `order by ${alias}.created_at ${order}, ${alias}.id ${order}`,
});

/** One statement for each direction of a list that is shown newest first. */
export const bothWays = (statement: (way: Direction) => Statement) => ({
  forward: statement(direction('forward', '<', 'desc')),
  backward: statement(direction('backward', '>', 'asc')),
});

export const isBackward = ({ before, from_end }: ListWindow) => before !== undefined || from_end;

/** Keyset pages over (created_at, id), newest first; a cursor is good for the very list that gave it out. */
export function newestFirst(keys: KeyRing, list: string) {
  const view = { prefix: '', kind: 'list', view: list } as const;
  const position = (cursor: string | undefined, field: 'after' | 'before'): ListPosition => {
    if (cursor === undefined) return [null, null];
    const [time, id] = openCursor(keys, view, cursor)?.split('|') ?? [];
    if (time === undefined || id === undefined) throw new ServiceError('INVALID_CURSOR', { details: { field } });
    return [time, id];
  };
  return {
    /** @throws INVALID_CURSOR */
    positionOf: (window: ListWindow): ListPosition =>
      isBackward(window) ? position(window.before, 'before') : position(window.after, 'after'),
    statementOf: (window: ListWindow, statements: ReturnType<typeof bothWays>): Statement =>
      isBackward(window) ? statements.backward : statements.forward,
    /** @param found one row more than asked, when there are more */
    pageOf<Row extends Keyed>(found: readonly Row[], window: ListWindow): ListPage<Row> {
      const rows = found.slice(0, window.limit);
      if (isBackward(window)) rows.reverse();
      return {
        // Sealed when it is asked for: a documented page shows the last row's alone.
        rows: rows.map((row) => ({
          row,
          get cursor() {
            return sealCursor(keys, view, `${row.createdAt.toISOString()}|${row.id}`);
          },
        })),
        hasMore: found.length > window.limit,
      };
    },
  };
}

/** The members every keyset page ends with. Contract 01, section 1.17. */
export const pageToWire = ({ rows, hasMore }: ListPage<unknown>) => ({
  has_more: hasMore,
  next_cursor: hasMore ? rows.at(-1)!.cursor : null,
});
