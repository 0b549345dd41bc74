import { History, SearchX, Trash2, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes } from '../../design/amounts.ts';
import { Badge, enumName, type Mood } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { messageOf } from '../../graph/message-of.ts';
import { kindNames, type Snapshot } from './snapshot-types.ts';

interface SnapshotTableProps {
  readonly snapshots: readonly Snapshot[];
  readonly isFiltered: boolean;
  readonly mayWrite: boolean;
  readonly restore: (id: string) => void;
  readonly remove: (id: string) => void;
  /** The button that takes the first one. */
  readonly first: ReactNode;
}

const moods: Readonly<Record<Snapshot['status'], Mood>> = {
  RUNNING: 'accent',
  READY: 'good',
  FAILED: 'bad',
  EXPIRED: 'plain',
};

/** Snapshots, newest first. */
export function SnapshotTable({ snapshots, isFiltered, mayWrite, restore, remove, first }: SnapshotTableProps) {
  return (
    <Table
      label="Snapshots"
      rows={snapshots}
      keyOf={({ snapshotId }) => snapshotId}
      columns={[
        {
          id: 'at',
          name: 'Moment',
          grows: true,
          cell: ({ capturedAt, createdAt }) => <When at={capturedAt ?? createdAt} />,
        },
        { id: 'kind', name: 'Kind', cell: ({ kind }) => kindNames[kind] },
        {
          id: 'status',
          name: 'Status',
          cell: ({ status, error }) => {
            const badge = <Badge mood={moods[status]}>{enumName(status)}</Badge>;
            const message = messageOf(error);
            return message === undefined ? (
              badge
            ) : (
              <span>
                {badge} <span className="small quiet">{message}</span>
              </span>
            );
          },
        },
        {
          id: 'size',
          name: 'Size',
          align: 'end',
          cell: ({ status, sizeBytes }) => (status === 'READY' ? bytes(sizeBytes) : ''),
        },
        {
          id: 'until',
          name: 'Kept until',
          cell: ({ status, expiresAt }) => (status === 'READY' && expiresAt !== null ? <When at={expiresAt} /> : ''),
        },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: ({ snapshotId, status }: Snapshot) => (
                  <span className="row-actions one-line">
                    {status === 'READY' && (
                      <Button small variant="quiet" icon={Undo2} onPress={() => restore(snapshotId)}>
                        <span>
                          Restore<span className="seen-by-readers"> {snapshotId}</span>
                        </span>
                      </Button>
                    )}
                    <Tooltip text="Delete">
                      <IconButton
                        small
                        icon={Trash2}
                        label={`Delete ${snapshotId}`}
                        onPress={() => remove(snapshotId)}
                      />
                    </Tooltip>
                  </span>
                ),
              },
            ]
          : []),
      ]}
      empty={
        isFiltered ? (
          <State icon={SearchX} title="No snapshot fits">
            Choose another kind.
          </State>
        ) : (
          <State icon={History} title="No snapshots yet" action={first}>
            A snapshot is a copy of the database as it is at one moment. Taking one disturbs nobody.
          </State>
        )
      }
    />
  );
}
