import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { DraftNote } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Skeleton } from '../../design/status.tsx';
import { type Envelope, refusal } from '../../graph/envelope.ts';
import { Link } from '../../router.tsx';
import { useDraft } from '../../use-draft.ts';
import { type Cell, type Column, firstCell, isComputed, kindOf, type Table } from './columns.ts';
import { RowField } from './row-field.tsx';
import { insertRow, type RowsApi, type TextRow, updateRow, type Values, wholeRow } from './rows-api.ts';

interface RowFormProps {
  readonly project: string;
  readonly table: Table;
  readonly api: RowsApi;
  /** The primary key of the row; undefined for a new one. */
  readonly rowKey: TextRow | undefined;
  /** Whether this key may change rows. */
  readonly writes: boolean;
  /** Addresses of the rows that refer to this one, by what they are called. */
  readonly referrersOf: (row: TextRow) => readonly (readonly [name: string, to: string])[];
  /** @param changed whether the row was changed */
  readonly done: (changed: boolean) => void;
  readonly remove: (key: TextRow) => void;
}

/** A row with all its values, whole: to read, to change, or to insert. */
export function RowForm(props: RowFormProps) {
  const { table, api, rowKey, done } = props;
  const [row, setRow] = useState<TextRow>();
  const [error, setError] = useState<Envelope>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form keeps what it has shown.
  useEffect(() => {
    if (rowKey === undefined) return;
    wholeRow(api, table.name, rowKey, table.columns).then(
      (found) => (found === undefined ? setError(rowGone) : setRow(found)),
      (refused) => setError(refused as Envelope),
    );
  }, []);
  if (rowKey === undefined || row !== undefined) return <Fields {...props} row={row} reload={setRow} />;
  return (
    <Modal title={titleOf(table, rowKey)} isOpen close={() => done(false)}>
      {error === undefined ? <Skeleton lines={6} /> : <ErrorNote error={error} />}
    </Modal>
  );
}

const rowGone: Envelope = { ...refusal('ROW_GONE', 'There is no such row any more.'), retryable: false };

const titleOf = (table: Table, rowKey: TextRow | undefined): string => {
  if (rowKey === undefined) return `New row in ${table.name}`;
  const named = Object.entries(rowKey).map(([name, value]) => `${name} ${value}`);
  return `Row of ${table.name}: ${named.join(', ')}`;
};

interface FieldsProps extends RowFormProps {
  readonly row: TextRow | undefined;
  readonly reload: (row: TextRow) => void;
}

/** What was typed into a row, by column. */
interface RowDraft {
  readonly cells: Readonly<Record<string, Cell>>;
  /** The values that the typed ones replace. */
  readonly seen: TextRow;
}

const emptyRow: RowDraft = { cells: {}, seen: {} };

function Fields({ project, table, api, row, rowKey, writes, referrersOf, done, remove, reload }: FieldsProps) {
  const columns = table.columns.filter((column) => !isComputed(column));
  const draft = useDraft(`row ${project} ${table.name} ${JSON.stringify(rowKey ?? 'new')}`, emptyRow);
  const { cells, seen: replaced } = draft.values;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const [theirs, setTheirs] = useState<TextRow>();
  const sending = useRef(false);
  const cellOf = (column: Column): Cell => cells[column.name] ?? firstCell(column, row);
  const set = ({ name }: Column, cell: Cell) =>
    draft.set({ cells: { ...cells, [name]: cell }, seen: { [name]: row?.[name] ?? null, ...replaced } });

  const finish = (isSaved: boolean) => {
    draft.drop();
    done(isSaved);
  };

  /** @param seen the values that the change replaces */
  const save = async (seen: TextRow | undefined) => {
    const values = valuesOf(columns, cellOf, row);
    if (values.size === 0 && row !== undefined) return finish(false);
    // A second press comes before the button knows of the first.
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    setError(undefined);
    setTheirs(undefined);
    try {
      const broken = brokenJson(values);
      if (broken !== undefined) throw refusal('NO_JSON', `${broken} is no JSON.`);
      if (rowKey === undefined || seen === undefined) {
        await insertRow(api, table.name, values);
        return finish(true);
      }
      const conflict = await updateRow(api, table.name, rowKey, seen, values);
      if (conflict === undefined) return finish(true);
      if (conflict.now === undefined) throw rowGone;
      setTheirs(conflict.now);
    } catch (refused) {
      setError(row === undefined ? insertFault(refused as Envelope) : (refused as Envelope));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(row && { ...row, ...replaced });
  };
  const referrers = row === undefined ? [] : referrersOf(row);
  return (
    <Modal title={titleOf(table, rowKey)} kind="alert" isOpen close={() => done(false)}>
      <form className="form row-form" onSubmit={submit}>
        <DraftNote draft={draft} />
        <fieldset className="row-fields" disabled={!writes}>
          {columns.map((column, at) => (
            <RowField
              key={column.name}
              column={column}
              cell={cellOf(column)}
              set={(cell) => set(column, cell)}
              isNew={row === undefined}
              isFirst={row === undefined && at === 0}
            />
          ))}
        </fieldset>
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
        {referrers.length > 0 && (
          <p className="small row-referrers">
            <span className="quiet">Referred to by</span>
            {referrers.map(([name, to]) => (
              <Link key={to} to={to}>
                {name}
              </Link>
            ))}
          </p>
        )}
        <ErrorNote error={error} />
        {theirs !== undefined && (
          <div className="row-conflict" role="alert">
            <p>This row was changed meanwhile. Your values are in the fields, and nothing is saved yet.</p>
            <dl className="conflict">
              {[...valuesOf(columns, cellOf, row).keys()].map(({ name }) => (
                <div key={name}>
                  <dt>{name} now</dt>
                  <dd>{theirs[name] ?? 'NULL'}</dd>
                </div>
              ))}
            </dl>
            <Button
              small
              onPress={() => {
                reload({ ...row!, ...theirs });
                void save({ ...row!, ...theirs });
              }}
            >
              Save my values
            </Button>
          </div>
        )}
        <div className="form-foot">
          {rowKey !== undefined && writes && (
            <Button variant="quiet" onPress={() => remove(rowKey)}>
              Delete
            </Button>
          )}
          <Button onPress={() => finish(false)}>{writes ? 'Cancel' : 'Close'}</Button>
          {writes && (
            <Button type="submit" variant="primary" isPending={busy}>
              {row === undefined ? 'Insert' : 'Save'}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}

/** Nobody can tell whether a row was inserted when the answer was lost. */
const insertFault = (refused: Envelope): Envelope =>
  refused.code === 'NO_ANSWER'
    ? refusal('NO_ANSWER', 'The gateway did not answer. Look whether the row is there before you insert it again.')
    : refused;

/** The values to send: for an existing row only changed ones, so that other callers' changes are kept. */
function valuesOf(columns: readonly Column[], cellOf: (column: Column) => Cell, row: TextRow | undefined): Values {
  const values = new Map<Column, string | null>();
  for (const column of columns) {
    const { from, text } = cellOf(column);
    if (from === 'default') continue;
    const value = from === 'null' ? null : text;
    if (row === undefined || value !== (row[column.name] ?? null)) values.set(column, value);
  }
  return values;
}

/** The name of the first column whose value is not valid JSON. */
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
