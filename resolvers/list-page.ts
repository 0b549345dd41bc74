import { openCursor, sealCursor } from '../core/cursors.ts';
import { ServiceError } from '../core/errors.ts';
import type { KeyRing } from '../core/keys.ts';

/** Rows of a keyset list, each with the cursor that stands after it. */
export interface ListPage<Row> {
  readonly rows: readonly { readonly row: Row; readonly cursor: string }[];
  readonly hasMore: boolean;
}

interface Keyed {
  readonly id: string;
  readonly createdAt: Date;
}

/** Where a page begins: the time and id of the last row before it; nulls for the first page. */
export type ListPosition = readonly [time: string | null, id: string | null];

/** Keyset pages over (created_at, id), newest first; a cursor is good for the very list that gave it out. */
export function newestFirst(keys: KeyRing, list: string) {
  const view = { prefix: '', kind: 'list', view: list } as const;
  return {
    /** @throws INVALID_CURSOR */
    positionOf(after: string | undefined): ListPosition {
      if (after === undefined) return [null, null];
      const [time, id] = openCursor(keys, view, after)?.split('|') ?? [];
      if (time === undefined || id === undefined)
        throw new ServiceError('INVALID_CURSOR', { details: { field: 'after' } });
      return [time, id];
    },
    /** @param found one row more than asked, when there are more */
    pageOf<Row extends Keyed>(found: readonly Row[], limit: number): ListPage<Row> {
      return {
        rows: found.slice(0, limit).map((row) => ({
          row,
          cursor: sealCursor(keys, view, `${row.createdAt.toISOString()}|${row.id}`),
        })),
        hasMore: found.length > limit,
      };
    },
  };
}

/** The members every keyset page ends with. Contract 01, section 1.17. */
export const pageToWire = ({ rows, hasMore }: ListPage<unknown>) => ({
  has_more: hasMore,
  next_cursor: hasMore ? rows.at(-1)!.cursor : null,
});
