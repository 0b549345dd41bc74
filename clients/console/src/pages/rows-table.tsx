import { useEffect, useState } from 'react';
import { changes } from '../graph/changes.ts';
import type { Envelope } from '../graph/envelope.ts';
import { useFeed } from '../graph/use-feed.ts';
import { DataTable, type Order } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Loading } from '../parts/loaded.tsx';
import { useStore } from '../store.ts';
import { FollowTableDocument } from './rows.graphql.ts';

type Row = Readonly<Record<string, unknown>>;

interface TableRowsProps {
  readonly projectId: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** Where the rows are read, and with which key. */
  readonly door: { readonly path: string; readonly apikey: string };
  /** Whether word of its changes comes by itself. */
  readonly live: boolean;
}

const pageSize = 50;

/** A page of a table's rows, read anew when the table has changed. */
export function TableRows({ projectId, table, columns, door: { path, apikey }, live }: TableRowsProps) {
  const [order, setOrder] = useState<Order>({ column: columns[0], falling: false });
  const [page, setPage] = useState(0);
  const [rows, setRows] = useState<readonly Row[]>();
  const [error, setError] = useState<Envelope>();
  const [heard, setHeard] = useState(0);
  const changed = useStore(changes);
  const again = () => setHeard((times) => times + 1);

  const search = new URLSearchParams({ select: '*', limit: String(pageSize + 1), offset: String(page * pageSize) });
  if (order.column !== undefined) search.set('order', `"${order.column}".${order.falling ? 'desc' : 'asc'}`);
  const address = `${path}/${encodeURIComponent(table)}?${search}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `heard` and `changed` say that it may be another answer by now.
  useEffect(() => {
    const gone = new AbortController();
    readRows(address, apikey, gone.signal).then(
      (found) => {
        setError(undefined);
        setRows(found);
      },
      (refused) => gone.signal.aborted || setError(refused as Envelope),
    );
    return () => gone.abort();
  }, [address, apikey, heard, changed]);

  const followed = live ? { project: projectId, tables: [table] } : undefined;
  const ended = useFeed(FollowTableDocument, followed, again);
  const shown = rows?.slice(0, pageSize);
  return (
    <>
      <ErrorNote error={error ?? ended} retry={again} />
      {shown === undefined && error === undefined && <Loading />}
      {shown?.length === 0 && page === 0 && <Empty title="No rows">None, or none that this key may see.</Empty>}
      {shown !== undefined && shown.length > 0 && (
        <DataTable label={`Rows of ${table}`} columns={columns} rows={shown} order={order} setOrder={setOrder} />
      )}
      <div className="row">
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
            Read again
          </button>
        )}
        <p className="quiet small">
          {live
            ? 'Changes show up by themselves.'
            : 'Changes show up by themselves once the manifest makes the table live.'}
        </p>
      </div>
    </>
  );
}

/** @throws an {@link Envelope} */
async function readRows(address: string, apikey: string, signal: AbortSignal): Promise<readonly Row[]> {
  const response = await fetch(address, { headers: { apikey }, signal }).catch(() => {
    throw notAnswered;
  });
  const body = await response.json();
  if (response.ok) return body as readonly Row[];
  throw {
    code: String(body.code ?? response.status),
    message: String(body.message ?? 'The rows could not be read.'),
    retryable: true,
    nextActions: [],
    traceId: response.headers.get('x-svc-trace-id') ?? undefined,
    details: {},
  } satisfies Envelope;
}

const notAnswered: Envelope = {
  code: 'NO_ANSWER',
  message: 'The gateway did not answer.',
  retryable: true,
  nextActions: [],
  traceId: undefined,
  details: {},
};
