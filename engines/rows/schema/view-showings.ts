import type { Catalog } from './catalog.ts';
import { type ViewColumn, viewColumns } from './view-columns.ts';

/** A view of the served schema, and under which names it shows the columns of one table. */
export interface Showing {
  readonly view: string;
  /** By position in the table. */
  readonly columns: ReadonlyMap<number, readonly string[]>;
}

/** Deepest stack of views upon views that is followed down to a table. */
const depthMax = 20;

/** What each table is shown by, through views upon views. */
export function showingsOf({ views, tables }: Pick<Catalog, 'views' | 'tables'>): Map<number, Showing[]> {
  const trees = new Map(views.map(({ oid, tree }) => [oid, viewColumns(tree)]));
  const showings = new Map<number, Showing[]>();
  for (const { oid, name, kind, columns } of tables) {
    if (kind !== 'v' && kind !== 'm') continue;
    const shown = new Map<number, Map<number, string[]>>();
    for (const column of trees.get(oid) ?? []) {
      const own = columns?.find(({ number }) => number === column.number)?.name;
      if (own === undefined) continue;
      for (const { table, column: number } of origins(column, trees, depthMax)) {
        const ofTable = shown.get(table) ?? new Map<number, string[]>();
        shown.set(table, ofTable);
        ofTable.set(number, [...(ofTable.get(number) ?? []), own]);
      }
    }
    for (const [table, byNumber] of shown)
      showings.set(table, [...(showings.get(table) ?? []), { view: name, columns: byNumber }]);
  }
  return showings;
}

/** What a view's column comes from, and what that comes from in turn. */
function origins(column: ViewColumn, trees: ReadonlyMap<number, readonly ViewColumn[]>, depth: number): ViewColumn[] {
  if (depth === 0) return [];
  const below = trees.get(column.table)?.filter(({ number }) => number === column.column) ?? [];
  return [column, ...below.flatMap((one) => origins(one, trees, depth - 1))];
}
