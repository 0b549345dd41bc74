import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { loadCode } from '../../load-code.ts';
import { download } from './download.ts';
import { pageAddress, type Wanted } from './page-address.ts';
import { type RowsApi, readRows, type TextRow } from './rows-api.ts';

/** Rows that one request of an export asks for. */
const exportedAtOnce = 1_000;
/** A page of long values may be more than the gateway answers at once. Then smaller pages are asked for. */
const tooLarge = '54000';

interface ExportDialogProps {
  readonly api: RowsApi;
  readonly table: string;
  readonly wanted: Wanted;
  /** How many rows there may be. */
  readonly total: number | undefined;
  readonly close: () => void;
}

/** Saves the rows that the filters leave as a file of CSV, page by page. */
export function ExportDialog({ api, table, wanted, total, close }: ExportDialogProps) {
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<Envelope>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    if (running.current !== undefined) return;
    const control = new AbortController();
    running.current = control;
    setError(undefined);
    setCount(0);
    try {
      const { unparse } = (await loadCode(() => import('papaparse'))).default;
      const names = wanted.columns.map(({ name }) => name);
      const parts: string[] = [unparse([names])];
      let last: TextRow | undefined;
      let limit = exportedAtOnce;
      for (let done = 0; ; ) {
        const address = pageAddress(api, table, wanted, last, { skip: done, limit, whole: true });
        const rows = await readRows(address, api, control.signal).catch((refused: Envelope) => {
          if (refused.code !== tooLarge || limit === 1) throw refused;
          return undefined;
        });
        if (rows === undefined) {
          limit = Math.max(1, Math.floor(limit / 8));
          continue;
        }
        if (rows.length > 0) parts.push(unparse(rows.map((row) => names.map((name) => row[name] ?? ''))));
        done += rows.length;
        setCount(done);
        last = rows.at(-1) ?? last;
        if (rows.length < limit) break;
      }
      download(
        `${table}.csv`,
        parts.map((part) => `${part}\r\n`),
        'text/csv',
      );
      close();
    } catch (refused) {
      if (!control.signal.aborted) setError(refused as Envelope);
    } finally {
      running.current = undefined;
      setCount(undefined);
    }
  };
  const isRunning = count !== undefined;
  return (
    <Modal
      title={`Export ${table}`}
      kind="alert"
      isOpen
      close={close}
      foot={
        <>
          <Button onPress={() => (isRunning ? running.current?.abort() : close())}>
            {isRunning ? 'Stop' : 'Cancel'}
          </Button>
          <Button variant="primary" icon={Download} isPending={isRunning} onPress={() => void start()}>
            Export CSV
          </Button>
        </>
      }
    >
      <p>
        {wanted.filters.length > 0 ? 'The rows that the filters leave' : 'All rows'}, with all columns. NULL is an empty
        cell.
      </p>
      <p className="quiet small">
        Values are written as they are, so that they can be imported again. A spreadsheet may take one that begins with{' '}
        <code>=</code>, <code>+</code>, <code>-</code> or <code>@</code> for a formula: import the columns there as
        text.
      </p>
      {isRunning && (
        <p role="status" className="quiet">
          {count.toLocaleString('en')}
          {total !== undefined && ` of about ${Math.max(total, count).toLocaleString('en')}`} rows
        </p>
      )}
      <ErrorNote error={error} />
    </Modal>
  );
}
