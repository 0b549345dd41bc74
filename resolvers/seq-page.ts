import { openCursor, sealCursor } from '../core/cursors.ts';
import { ServiceError } from '../core/errors.ts';
import type { KeyRing } from '../core/keys.ts';
import type { Statement } from '../db/pool.ts';
import { isBackward, type ListPage, type ListWindow } from './list-page.ts';

/** The parts of a statement that depend on the direction: a condition on one parameter, and the order. */
interface Direction {
  readonly name: 'forward' | 'backward';
  readonly beyond: (alias: string, parameter: number) => string;
  readonly order: (alias: string) => string;
}

const direction = (name: Direction['name'], sign: '<' | '>', order: 'desc' | 'asc'): Direction => ({
  name,
  beyond: (alias, parameter) => `($${parameter}::bigint is null or ${alias}.seq ${sign} $${parameter})`,
  order: (alias) => `order by ${alias}.seq ${order}`,
});

/** One statement for each direction of a list that is shown highest number first. */
export const bothWaysBySeq = (statement: (way: Direction) => Statement) => ({
  forward: statement(direction('forward', '<', 'desc')),
  backward: statement(direction('backward', '>', 'asc')),
});

/** Keyset pages over rows that were numbered as they were written, newest first: their times need not be in order. */
export function newestBySeq(keys: KeyRing, list: string) {
  const view = { prefix: '', kind: 'list', view: list } as const;
  const position = (cursor: string | undefined, field: 'after' | 'before'): string | null => {
    if (cursor === undefined) return null;
    const seq = openCursor(keys, view, cursor);
    if (seq === undefined) throw new ServiceError('INVALID_CURSOR', { details: { field } });
    return seq;
  };
  return {
    /** @throws INVALID_CURSOR */
    positionOf: (window: ListWindow): string | null =>
      isBackward(window) ? position(window.before, 'before') : position(window.after, 'after'),
    statementOf: (window: ListWindow, statements: ReturnType<typeof bothWaysBySeq>): Statement =>
      isBackward(window) ? statements.backward : statements.forward,
    /** @param found one row more than asked, when there are more */
    pageOf<Row extends { readonly seq: bigint }>(found: readonly Row[], window: ListWindow): ListPage<Row> {
      const rows = found.slice(0, window.limit);
      if (isBackward(window)) rows.reverse();
      return {
        rows: rows.map((row) => ({
          row,
          get cursor() {
            return sealCursor(keys, view, String(row.seq));
          },
        })),
        hasMore: found.length > window.limit,
      };
    },
  };
}
