import type { Table } from './columns.ts';
import { namesIn, parenthesized } from './names.ts';

/** A foreign key: columns of a table that hold the key of a row of another. */
export interface Reference {
  readonly from: string;
  readonly columns: readonly string[];
  readonly to: string;
  readonly targets: readonly string[];
}

/** The foreign keys of a table. */
export function referencesOf({ name, constraints }: Table): readonly Reference[] {
  return constraints.flatMap(({ type, definition }) => {
    if (type !== 'FOREIGN KEY') return [];
    const [columns = '', targets = ''] = parenthesized(definition);
    // The table may be named with its schema.
    const between = /REFERENCES ((?:"(?:[^"]|"")*"|[^("])+)\(/.exec(definition)?.[1] ?? '';
    const to = namesIn(between).at(-1);
    return to === undefined ? [] : [{ from: name, columns: namesIn(columns), to, targets: namesIn(targets) }];
  });
}

/** The foreign keys of other tables, and of the table itself, that lead to a table. */
export const referencesTo = (name: string, tables: readonly Table[]): readonly Reference[] =>
  tables.flatMap(referencesOf).filter(({ to }) => to === name);
