import { Download, Upload } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from '../../design/button.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Modal } from '../../design/modal.tsx';
import { Table as DesignTable } from '../../design/table.tsx';
import { announceFailure } from '../../design/toast.tsx';
import { CodeError, loadCode } from '../../load-code.ts';
import { isComputed, type Table } from './columns.ts';
import { CsvFault, decoded, type FileTable, faultOf, type Mapping, mappingOf, readCsv } from './csv-rows.ts';
import { download } from './download.ts';
import { type ImportState, useImport } from './use-import.ts';

interface ImportDialogProps {
  readonly project: string;
  readonly table: Table;
  /** Called when rows were inserted. */
  readonly imported: () => void;
  readonly close: () => void;
}

const leftOut = ' ';

/** Rows of a file of CSV: read, shown with where each column goes, and inserted. */
export function ImportDialog({ project, table, imported, close }: ImportDialogProps) {
  const columns = table.columns.filter((column) => !isComputed(column));
  const [file, setFile] = useState<FileTable>();
  const [fault, setFault] = useState<string>();
  const [mapping, setMapping] = useState<Mapping>([]);
  const [emptyIsNull, setEmptyIsNull] = useState(true);
  const { state, start, stop, isStopping } = useImport(project, table.name);
  const isOver = state?.isOver === true;
  const isRunning = state !== undefined && !isOver;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once, when the import is over.
  useEffect(() => {
    if (isOver) imported();
  }, [isOver]);

  const choose = async (files: FileList | null) => {
    const chosen = files?.[0];
    if (chosen === undefined) return;
    setFault(undefined);
    try {
      const read = await readCsv(decoded(await chosen.arrayBuffer()));
      setFile(read);
      setMapping(mappingOf(read.names, columns));
    } catch (error) {
      setFault(error instanceof CsvFault || error instanceof CodeError ? error.message : 'The file cannot be read.');
    }
  };
  const doubtful = useMemo(
    () => (file === undefined ? [] : doubts(file, mapping, table, emptyIsNull)),
    [file, mapping, table, emptyIsNull],
  );
  const targets = mapping.filter((name) => name !== null);
  const isTwice = new Set(targets).size < targets.length;
  return (
    <Modal
      title={`Import into ${table.name}`}
      kind="alert"
      isOpen
      // Escape does not stop an import: “Stop” does, and what is inserted is told.
      close={() => isRunning || close()}
      foot={
        <>
          {isRunning ? (
            <Button isPending={isStopping} onPress={stop}>
              Stop
            </Button>
          ) : (
            <Button onPress={close}>{isOver ? 'Close' : 'Cancel'}</Button>
          )}
          {file !== undefined && !isOver && (
            <Button
              variant="primary"
              icon={Upload}
              isPending={state !== undefined}
              isDisabled={targets.length === 0 || isTwice || file.rows.length === 0}
              onPress={() => void start(file.rows, mapping, emptyIsNull)}
            >
              Import {file.rows.length.toLocaleString('en')} rows
            </Button>
          )}
        </>
      }
    >
      {state !== undefined && file !== undefined ? (
        <Progress state={state} file={file} table={table.name} />
      ) : (
        <>
          <div>
            <FileTrigger acceptedFileTypes={['.csv', 'text/csv']} onSelect={(files) => void choose(files)}>
              <Button>{file === undefined ? 'Choose a file of CSV' : 'Choose another file'}</Button>
            </FileTrigger>
          </div>
          {fault !== undefined && <p role="alert">{fault}</p>}
          {file !== undefined && (
            <>
              <div className="import-map">
                <DesignTable
                  label="Columns of the file"
                  rows={file.names.map((name, at) => ({ name, at }))}
                  keyOf={({ at }) => String(at)}
                  empty={null}
                  columns={[
                    { id: 'file', name: 'In the file', cell: ({ name }) => name },
                    {
                      id: 'sample',
                      name: 'First value',
                      grows: true,
                      cell: ({ at }) => (file.rows[0]?.cells[at] ?? '').slice(0, 80),
                    },
                    {
                      id: 'to',
                      name: 'Goes to',
                      cell: ({ name, at }) => (
                        <div className="import-target">
                          <Select
                            label={`Column for ${name}`}
                            value={mapping[at] ?? leftOut}
                            options={[
                              { id: leftOut, name: 'Left out' },
                              ...columns.map((column) => ({
                                id: column.name,
                                name: `${column.name} (${column.type})`,
                              })),
                            ]}
                            onChange={(id) =>
                              setMapping(mapping.map((one, index) => (index !== at ? one : id === leftOut ? null : id)))
                            }
                          />
                        </div>
                      ),
                    },
                  ]}
                />
              </div>
              <Checkbox isSelected={emptyIsNull} onChange={setEmptyIsNull}>
                An empty cell is NULL
              </Checkbox>
              {isTwice && <p role="alert">Two columns of the file go to one of the table.</p>}
              {doubtful.length > 0 && (
                <div role="status">
                  <p>
                    {doubtful.length === doubtsMost ? `At least ${doubtsMost}` : doubtful.length} values may be refused:
                  </p>
                  <ul className="import-refused small">
                    {doubtful.map(({ line, name, why, text }) => (
                      <li key={`${line} ${name}`}>
                        Line {line}, {name}: <code>{text.slice(0, 60)}</code> is {why}.
                      </li>
                    ))}
                  </ul>
                </div>
              )}
            </>
          )}
        </>
      )}
    </Modal>
  );
}

/** Doubtful values that are listed before the import; after it each refused row is. */
const doubtsMost = 50;

function doubts(file: FileTable, mapping: Mapping, { columns }: Table, emptyIsNull: boolean) {
  const found: { line: number; name: string; text: string; why: string }[] = [];
  const targets = mapping.map((name) => columns.find((column) => column.name === name));
  for (const { line, cells } of file.rows)
    for (const [at, text] of cells.entries()) {
      const column = targets[at];
      if (column === undefined) continue;
      const why =
        emptyIsNull && text === ''
          ? column.nullable
            ? undefined
            : 'NULL, and the column takes none'
          : faultOf(column, text);
      if (why === undefined) continue;
      found.push({ line, name: column.name, text, why });
      if (found.length === doubtsMost) return found;
    }
  return found;
}

const notSaved = (error: Error) => announceFailure('The rows were not saved.', error.message);

interface ProgressProps {
  readonly state: ImportState;
  readonly file: FileTable;
  readonly table: string;
}

function Progress({ state: { sent, inserted, refused, stopped, unknown = [], isOver }, file, table }: ProgressProps) {
  const save = async () => {
    const { default: papa } = await loadCode(() => import('papaparse'));
    const rows = refused.map(({ row, why }) => [...row.cells, String(row.line), why]);
    download(`${table}-refused.csv`, [papa.unparse([[...file.names, 'line', 'reason'], ...rows])], 'text/csv');
  };
  return (
    <>
      <p role="status">
        {isOver ? (stopped === undefined ? 'Done: ' : 'Stopped: ') : ''}
        {inserted.toLocaleString('en')} of {file.rows.length.toLocaleString('en')} rows inserted
        {refused.length > 0 && `, ${refused.length.toLocaleString('en')} refused`}
        {!isOver && `, ${(file.rows.length - sent).toLocaleString('en')} to go`}.
      </p>
      {stopped !== undefined && <p role="alert">The import stopped: {stopped}</p>}
      {unknown.length > 0 && (
        <p role="alert">
          The gateway did not answer about the {unknown.length.toLocaleString('en')} rows from line {unknown[0]!.line}{' '}
          on. Look whether they are there.
        </p>
      )}
      {refused.length > 0 && (
        <>
          <ul className="import-refused small" aria-label="Refused rows">
            {refused.slice(0, 200).map(({ row, why }) => (
              <li key={row.line}>
                Line {row.line}: {why}
              </li>
            ))}
          </ul>
          <div>
            <Button small icon={Download} onPress={() => save().catch(notSaved)}>
              Save the refused rows
            </Button>
          </div>
        </>
      )}
    </>
  );
}
