import { Download, FileSearch, Package } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes } from '../../design/amounts.ts';
import { Badge, enumName, type Mood } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { messageOf } from '../../graph/message-of.ts';
import type { Archive } from './archive-types.ts';

interface ArchiveTableProps {
  readonly archives: readonly Archive[];
  readonly mayDownload: boolean;
  /** The archive that is being read from the gateway. */
  readonly loading: string | undefined;
  readonly download: (archive: Archive) => void;
  readonly show: (id: string) => void;
  /** The button that makes the first one. */
  readonly first: ReactNode;
}

const moods: Readonly<Record<Archive['status'], Mood>> = {
  RUNNING: 'accent',
  READY: 'good',
  FAILED: 'bad',
  EXPIRED: 'plain',
};

/** Archives of a project, newest first. */
export function ArchiveTable({ archives, mayDownload, loading, download, show, first }: ArchiveTableProps) {
  return (
    <Table
      label="Archives"
      rows={archives}
      keyOf={({ archiveId }) => archiveId}
      columns={[
        {
          id: 'at',
          name: 'Begun',
          grows: true,
          cell: ({ createdAt }) => <When at={createdAt} />,
        },
        {
          id: 'status',
          name: 'Status',
          cell: ({ status, error }) => {
            const message = messageOf(error);
            return (
              <span>
                <Badge mood={moods[status]}>{enumName(status)}</Badge>
                {message !== undefined && <span className="small quiet"> {message}</span>}
              </span>
            );
          },
        },
        { id: 'users', name: 'Users', cell: ({ authExport }) => (authExport === 'STUBS' ? 'Ids alone' : 'None') },
        {
          id: 'size',
          name: 'Size',
          align: 'end',
          cell: ({ status, byteCount }) => (status === 'READY' && byteCount !== null ? bytes(byteCount) : ''),
        },
        {
          id: 'until',
          name: 'Kept until',
          cell: ({ status, expiresAt }) => (status === 'READY' ? <When at={expiresAt} /> : ''),
        },
        {
          id: 'actions',
          name: 'Actions',
          isNameHidden: true,
          align: 'end',
          cell: (archive) =>
            archive.digest !== null && (
              <span className="row-actions one-line">
                <Button small variant="quiet" icon={FileSearch} onPress={() => show(archive.archiveId)}>
                  <span>
                    Report<span className="seen-by-readers"> of {archive.archiveId}</span>
                  </span>
                </Button>
                {mayDownload && archive.status === 'READY' && (
                  <Button
                    small
                    variant="quiet"
                    icon={Download}
                    isPending={loading === archive.archiveId}
                    onPress={() => download(archive)}
                  >
                    <span>
                      Download<span className="seen-by-readers"> {archive.archiveId}</span>
                    </span>
                  </Button>
                )}
              </span>
            ),
        },
      ]}
      empty={
        <State icon={Package} title="No archives yet" action={first}>
          An archive is one file with all of the project that another gateway can import. Nobody waits while it is made.
        </State>
      }
    />
  );
}
