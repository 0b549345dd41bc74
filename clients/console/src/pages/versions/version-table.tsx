import { Pencil, Store, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, enumName, type Mood } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { messageOf } from '../../graph/message-of.ts';
import { priceOf } from '../apps/price-of.ts';
import type { VersionRowFragment } from './versions.graphql.ts';

interface VersionTableProps {
  readonly versions: readonly VersionRowFragment[];
  readonly mayWrite: boolean;
  readonly change: (version: VersionRowFragment) => void;
  readonly remove: (version: VersionRowFragment) => void;
  /** The button that publishes the first one. */
  readonly first: ReactNode;
}

const moods: Readonly<Record<VersionRowFragment['status'], Mood>> = {
  DRAFT: 'accent',
  PUBLISHED: 'good',
  ARCHIVED: 'plain',
};

/** Versions, newest first. */
export function VersionTable({ versions, mayWrite, change, remove, first }: VersionTableProps) {
  return (
    <Table
      label="Versions"
      rows={versions}
      keyOf={({ versionId }) => versionId}
      columns={[
        { id: 'number', name: 'Version', cell: ({ number }) => number },
        { id: 'description', name: 'What it does', grows: true, cell: ({ description }) => description ?? '' },
        {
          id: 'status',
          name: 'Status',
          cell: ({ status, error }) => {
            const message = messageOf(error);
            return (
              <span>
                <Badge mood={message === undefined ? moods[status] : 'bad'}>
                  {message === undefined ? enumName(status) : 'Failed'}
                </Badge>
                {message !== undefined && <span className="small quiet"> {message}</span>}
              </span>
            );
          },
        },
        { id: 'seen', name: 'Found by', cell: ({ visibility }) => seenBy[visibility] },
        {
          id: 'forks',
          name: 'Forks',
          cell: ({ forkAllowed, forkPriceUsdMicros: micros }) => (forkAllowed ? priceOf(micros) : 'By you alone'),
        },
        { id: 'created', name: 'Published', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: (version: VersionRowFragment) => (
                  <span className="row-actions one-line">
                    <Tooltip text="Change">
                      <IconButton
                        small
                        icon={Pencil}
                        label={`Change version ${version.number}`}
                        onPress={() => change(version)}
                      />
                    </Tooltip>
                    <Tooltip text="Delete">
                      <IconButton
                        small
                        icon={Trash2}
                        label={`Delete version ${version.number}`}
                        onPress={() => remove(version)}
                      />
                    </Tooltip>
                  </span>
                ),
              },
            ]
          : []),
      ]}
      empty={
        <State icon={Store} title="No versions yet" action={first}>
          A version is what the project serves when it is published. Others make projects of their own from it, each
          with an empty database.
        </State>
      }
    />
  );
}

const seenBy: Readonly<Record<VersionRowFragment['visibility'], string>> = {
  PUBLIC: 'Everybody',
  UNLISTED: 'Its id',
  PRIVATE: 'The organization',
};
