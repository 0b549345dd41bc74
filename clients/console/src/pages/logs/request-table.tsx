import './request-table.css';
import type { ReactNode } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';

/** A line of a project's log. */
export interface RequestLine {
  readonly seq: string;
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly code: string | null;
  readonly caller: string | null;
}

const moodOf = (status: number): Mood => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'plain');

/** A status with the mood of its class. */
export const Status = ({ status }: Pick<RequestLine, 'status'>) => <Badge mood={moodOf(status)}>{status}</Badge>;

/** A duration in words. */
export const duration = (ms: number): string =>
  ms >= 1_000
    ? `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 2 })} s`
    : `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`;

const columns: readonly TableColumn<RequestLine>[] = [
  { id: 'at', name: 'Time', cell: ({ at }) => <When at={at} exact /> },
  { id: 'status', name: 'Status', cell: ({ status }) => <Status status={status} /> },
  { id: 'method', name: 'Method', cell: ({ method }) => <code className="bare">{method}</code> },
  {
    id: 'path',
    name: 'Path',
    grows: true,
    cell: ({ path, code }) => (
      <span className="request-path">
        <code className="bare">{breakable(path)}</code>
        {code !== null && <code className="bare quiet">{code}</code>}
      </span>
    ),
  },
  { id: 'caller', name: 'Caller', cell: ({ caller }) => <span className="quiet">{caller ?? 'not let in'}</span> },
  { id: 'took', name: 'Took', align: 'end', cell: ({ durationMs }) => duration(durationMs) },
];

interface RequestTableProps {
  readonly label: string;
  readonly rows: readonly RequestLine[];
  readonly linkOf: (row: RequestLine) => string;
  readonly empty: ReactNode;
}

/** Requests of a project, newest first. */
export const RequestTable = ({ label, rows, linkOf, empty }: RequestTableProps) => (
  <Table label={label} columns={columns} rows={rows} keyOf={({ seq }) => seq} linkOf={linkOf} empty={empty} />
);
