import { type FormEvent, useState } from 'react';
import { type Envelope, refusal } from '../graph/envelope.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Sure } from '../parts/sure.tsx';
import type { TableShapeFragment } from './rows.graphql.ts';
import { deleteRow, insertRow, type RowsApi, type TextRow, updateRow, type Values } from './rows-api.ts';
import { type Cell, type Column, firstCell, isComputed, kindOf } from './rows-columns.ts';
import { RowField } from './rows-field.tsx';

interface RowFormProps {
  readonly table: TableShapeFragment;
  readonly api: RowsApi;
  /** The edited row; undefined for a new one. */
  readonly row: TextRow | undefined;
  /** The primary key of the row. */
  readonly rowKey: TextRow;
  /** @param changed whether the row was changed */
  readonly done: (changed: boolean) => void;
}

/** A form that creates, changes or deletes a row. */
export function RowForm({ table, api, row, rowKey, done }: RowFormProps) {
  const columns = table.columns.filter((column) => !isComputed(column));
  const first = new Map(columns.map((column) => [column, firstCell(column, row)]));
  const [changed, setChanged] = useState<ReadonlyMap<string, Cell>>(new Map());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const cellOf = (column: Column): Cell => changed.get(column.name) ?? first.get(column)!;
  const set = (column: Column, cell: Cell) => setChanged(new Map(changed).set(column.name, cell));

  const attempt = async (write: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await write();
      done(true);
    } catch (refused) {
      setError(refused as Envelope);
      setBusy(false);
    }
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const values = valuesOf(columns, cellOf, row);
    if (values instanceof Map && values.size === 0 && row !== undefined) return done(false);
    void attempt(async () => {
      const broken = brokenJson(values);
      if (broken !== undefined) throw refusal('NO_JSON', `${broken} is no JSON.`);
      await (row === undefined ? insertRow(api, table.name, values) : updateRow(api, table.name, rowKey, values));
    });
  };
  const named = Object.entries(rowKey).map(([name, value]) => `${name} ${value}`);
  return (
    <Dialog
      title={row === undefined ? `New row in ${table.name}` : `Row of ${table.name}: ${named.join(', ')}`}
      close={() => done(false)}
    >
      <form className="stack" onSubmit={save}>
        {columns.map((column) => (
          <RowField
            key={column.name}
            column={column}
            cell={cellOf(column)}
            set={(cell) => set(column, cell)}
            isNew={row === undefined}
          />
        ))}
        {columns.length < table.columns.length && (
          <p className="quiet small">
            The database writes{' '}
            {table.columns
              .filter(isComputed)
              .map(({ name }) => name)
              .join(', ')}{' '}
            by itself.
          </p>
        )}
        <ErrorNote error={error} />
        <div className="row">
          <button type="submit" className="main" disabled={busy}>
            {row === undefined ? 'Insert' : 'Save'}
          </button>
          <button type="button" onClick={() => done(false)}>
            Cancel
          </button>
          {row !== undefined && (
            <Sure
              className="plain"
              really="Really delete this row"
              busy={busy}
              run={() => attempt(() => deleteRow(api, table.name, rowKey))}
            >
              Delete
            </Sure>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** The values to write: of a new row those without the database's default, of an existing row the changed ones. */
function valuesOf(columns: readonly Column[], cellOf: (column: Column) => Cell, row: TextRow | undefined): Values {
  const values = new Map<Column, string | null>();
  for (const column of columns) {
    const { from, text } = cellOf(column);
    const value = from === 'null' ? null : text;
    if (from !== 'default' && (row === undefined || row[column.name] !== value)) values.set(column, value);
  }
  return values;
}

/** The first JSON column whose text is not valid JSON. */
function brokenJson(values: Values): string | undefined {
  for (const [column, value] of values) {
    if (value === null || kindOf(column) !== 'json') continue;
    try {
      JSON.parse(value);
    } catch {
      return column.name;
    }
  }
  return undefined;
}
