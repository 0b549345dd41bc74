import { Binary, Braces, CalendarClock, Download, Hash, ToggleLeft, Type } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { copied } from '../../design/copied.ts';
import { Grid } from '../../design/grid.tsx';
import type { GridColumn } from '../../design/grid-types.ts';
import { indentJson } from '../../design/indent-json.ts';
import { Menu } from '../../design/menu.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce, announceFailure } from '../../design/toast.tsx';
import { download } from '../tables/download.ts';
import { asCsv, asJson, asMarkdown, cellsOf, textOf } from './formats.ts';
import type { SqlResult } from './use-runner.ts';

/** Cells, in the order of the columns: two columns may have one name. */
type Row = readonly unknown[];

const numbers = /^(int[248]|float[48]|numeric|money|oid)$/;
const icons = [
  [numbers, Hash],
  [/^bool$/, ToggleLeft],
  [/^(json|jsonb|_.*)$/, Braces],
  [/^(timestamp|timestamptz|date|time|timetz|interval)$/, CalendarClock],
  [/^bytea$/, Binary],
] as const;
const iconOf = (type: string) => icons.find(([pattern]) => pattern.test(type))?.[1] ?? Type;
const widthOf = (type: string) =>
  numbers.test(type) || type === 'bool' ? 120 : /^(json|timestamp)/.test(type) ? 280 : 200;

interface ResultGridProps {
  readonly result: SqlResult;
  /** The name of a file with the rows. */
  readonly name: string;
  /** What was done, above the rows. */
  readonly said: ReactNode;
}

/** The rows of one statement, with what may be done with them. */
export function ResultGrid({ result, name, said }: ResultGridProps) {
  const { fields } = result;
  const rows = useMemo(() => cellsOf(result), [result]);
  const [seen, setSeen] = useState<{ readonly column: string; readonly text: string }>();
  const columns = useMemo(
    () =>
      fields.map((field, at): GridColumn<Row> => {
        return {
          id: `${at} ${field.name}`,
          name: field.name,
          icon: iconOf(field.type),
          kind: numbers.test(field.type) ? 'number' : 'text',
          width: widthOf(field.type),
          valueOf: (row) => textOf(row[at]),
        };
      }),
    [fields],
  );
  if (fields.length === 0) return said;
  const copy = (kind: string, text: string) =>
    void copied(text).then((done) =>
      done ? announce(`Copied as ${kind}`) : announceFailure('Not copied', 'The browser denied the clipboard.'),
    );
  return (
    <div className="sql-result">
      <div className="sql-result-actions">
        {said}
        <Menu
          label="Export"
          groups={[
            {
              heading: 'Copy',
              entries: [
                { id: 'csv', name: 'Copy as CSV', act: () => copy('CSV', asCsv(result)) },
                { id: 'json', name: 'Copy as JSON', act: () => copy('JSON', asJson(result)) },
                { id: 'md', name: 'Copy as Markdown', act: () => copy('Markdown', asMarkdown(result)) },
              ],
            },
            {
              heading: 'Download',
              entries: [
                {
                  id: 'csv-file',
                  name: 'Download CSV',
                  act: () => download(`${name}.csv`, [asCsv(result)], 'text/csv'),
                },
                {
                  id: 'json-file',
                  name: 'Download JSON',
                  act: () => download(`${name}.json`, [asJson(result)], 'application/json'),
                },
              ],
            },
          ]}
        >
          <Button small icon={Download}>
            Export
          </Button>
        </Menu>
      </div>
      <Grid
        label="Rows"
        columns={columns}
        rows={rows}
        keyOf={(_row, at) => String(at)}
        open={(row, column) => setSeen({ column: column.name, text: column.valueOf(row) ?? 'NULL' })}
      />
      <Modal title={seen?.column ?? ''} isOpen={seen !== undefined} close={() => setSeen(undefined)} kind="wide">
        {seen !== undefined && (
          <CodeBlock title="Value" code={/^[[{]/.test(seen.text) ? indentJson(seen.text) : seen.text} />
        )}
      </Modal>
    </div>
  );
}
