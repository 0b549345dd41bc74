import { useEffect, useState } from 'react';
import { changes } from '../graph/changes.ts';
import type { Envelope } from '../graph/envelope.ts';
import { useFeed } from '../graph/use-feed.ts';
import { useSettled } from '../graph/use-settled.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loading } from '../parts/loaded.tsx';
import type { Order } from '../parts/order.ts';
import { useStore } from '../store.ts';
import { FollowTableDocument, type TableShapeFragment } from './rows.graphql.ts';
import { pageAddress, pageSize, type RowsApi, readRows, type TextRow } from './rows-api.ts';
import { primaryKey } from './rows-columns.ts';
import { RowForm } from './rows-form.tsx';

interface TableRowsProps {
  readonly projectId: string;
  readonly table: TableShapeFragment;
  readonly api: RowsApi;
  /** Whether this key may change rows. */
  readonly writes: boolean;
  /** Whether a feed reports the table's changes. */
  readonly live: boolean;
}

/** A page of a table's rows, loaded again after each change of the table. */
export function TableRows({ projectId, table, api, writes, live }: TableRowsProps) {
  const { name, columns } = table;
  const key = primaryKey(table);
  const [order, setOrder] = useState<Order>({ column: key[0] ?? columns[0]?.name, falling: false });
  const [page, setPage] = useState(0);
  const [rows, setRows] = useState<readonly TextRow[]>();
  const [error, setError] = useState<Envelope>();
  const [heard, setHeard] = useState(0);
  const [open, setOpen] = useState<TextRow | 'new'>();
  const changed = useStore(changes);
  const again = () => setHeard((times) => times + 1);
  const address = pageAddress(api, name, { columns, key, order, page });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `heard` and `changed` say that it may be another answer by now.
  useEffect(() => {
    const gone = new AbortController();
    readRows(address, api, gone.signal).then(
      (found) => {
        setError(undefined);
        setRows(found);
      },
      (refused) => gone.signal.aborted || setError(refused as Envelope),
    );
    return () => gone.abort();
  }, [address, api.apikey, heard, changed]);

  const ended = useFeed(
    FollowTableDocument,
    live ? { project: projectId, tables: [name] } : undefined,
    useSettled(again),
  );
  const shown = rows?.slice(0, pageSize);
  const keyOf = (row: TextRow): TextRow => Object.fromEntries(key.map((part) => [part, row[part] ?? null]));
  const nameOf = (row: TextRow) => `row ${Object.values(keyOf(row)).join(', ')}`;
  return (
    <>
      <ErrorNote error={error ?? ended} retry={again} />
      {shown === undefined && error === undefined && <Loading />}
      {shown?.length === 0 && (
        <Empty title={page === 0 ? 'No rows' : 'No rows on this page'}>None, or none that this key may see.</Empty>
      )}
      {shown !== undefined && shown.length > 0 && (
        <DataTable
          label={`Rows of ${name}`}
          columns={columns.map((column) => column.name)}
          rows={shown}
          order={order}
          setOrder={setOrder}
          {...(writes && key.length > 0 ? { change: setOpen, nameOf } : {})}
        />
      )}
      <div className="row">
        {writes && (
          <button type="button" className="slim" onClick={() => setOpen('new')}>
            New row
          </button>
        )}
        <button type="button" className="slim" disabled={page === 0} onClick={() => setPage(page - 1)}>
          Back
        </button>
        <button
          type="button"
          className="slim"
          disabled={(rows?.length ?? 0) <= pageSize}
          onClick={() => setPage(page + 1)}
        >
          Next
        </button>
        {!live && (
          <button type="button" className="slim" onClick={again}>
            Refresh
          </button>
        )}
        <p className="quiet small">
          {live
            ? 'Changes show up by themselves.'
            : 'Changes show up by themselves once the manifest makes the table live.'}
          {writes && key.length === 0 && ' The table has no primary key, so its rows can be changed by SQL alone.'}
        </p>
      </div>
      {open !== undefined && (
        <RowForm
          table={table}
          api={api}
          row={open === 'new' ? undefined : open}
          rowKey={open === 'new' ? {} : keyOf(open)}
          done={(wrote) => {
            setOpen(undefined);
            if (wrote) again();
          }}
        />
      )}
    </>
  );
}
