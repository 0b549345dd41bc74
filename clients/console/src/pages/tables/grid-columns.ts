import type { GridColumn, GridEdit } from '../../design/grid-types.ts';
import { type Column, iconOf, isComputed, kindOf, primaryKey, type Table } from './columns.ts';
import { referencesOf } from './references.ts';
import type { TextRow } from './rows-api.ts';

interface Options {
  /** Whether cells can be edited. */
  readonly edits: boolean;
  readonly hidden: readonly string[];
  /** Leads to the rows of a table that have these values. */
  readonly follow: (table: string, values: readonly (readonly [column: string, value: string])[]) => void;
}

/** The columns of a table as the grid shows them. */
export function gridColumns(table: Table, { edits, hidden, follow }: Options): readonly GridColumn<TextRow>[] {
  const key = primaryKey(table);
  const references = referencesOf(table);
  return table.columns
    .filter(({ name }) => !hidden.includes(name))
    .map((column) => {
      const { name, type } = column;
      const reference = references.find(({ columns }) => columns.includes(name));
      const isKey = key.includes(name);
      const edit = edits && !isKey && !isComputed(column) ? editOf(column) : undefined;
      return {
        id: name,
        name,
        about: type,
        icon: iconOf(column, isKey, reference !== undefined),
        kind: kindOf(column) === 'number' ? 'number' : 'text',
        width: widthOf(column),
        valueOf: (row) => row[name] ?? null,
        ...(edit === undefined ? {} : { edit }),
        ...(reference === undefined
          ? {}
          : {
              follow: {
                label: `Open the row of ${reference.to}`,
                act: (row) =>
                  follow(
                    reference.to,
                    reference.targets.map((target, at) => [target, row[reference.columns[at]!] ?? '']),
                  ),
              },
            }),
      } satisfies GridColumn<TextRow>;
    });
}

function editOf(column: Column): GridEdit {
  const { nullable, enumValues } = column;
  const kind = kindOf(column);
  if (kind === 'choice') return { kind, options: enumValues ?? [], nullable };
  return { kind: kind === 'other' ? 'text' : kind, nullable };
}

const widths = { boolean: 100, choice: 120, date: 130, json: 260, number: 130, text: 240, other: 210 } as const;

const widthOf = (column: Column): number => widths[kindOf(column)];
