import { CalendarPlus, GitBranch, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, enumName, type Mood } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { messageOf } from '../../graph/message-of.ts';
import { Link } from '../../router.tsx';
import type { Branch } from './branch-types.ts';

interface BranchTableProps {
  readonly branches: readonly Branch[];
  readonly mayWrite: boolean;
  readonly renew: (branch: Branch) => void;
  readonly remove: (branch: Branch) => void;
  /** The button that makes the first one. */
  readonly first: ReactNode;
}

const moods: Readonly<Record<Branch['status'], Mood>> = { CREATING: 'accent', ACTIVE: 'good', FAILED: 'bad' };

/** Branches, newest first. */
export function BranchTable({ branches, mayWrite, renew, remove, first }: BranchTableProps) {
  return (
    <Table
      label="Branches"
      rows={branches}
      keyOf={({ branchProjectId }) => branchProjectId}
      columns={[
        {
          id: 'name',
          name: 'Name',
          grows: true,
          cell: ({ name, status, branchProjectId }) =>
            status === 'ACTIVE' ? <Link to={`/projects/${branchProjectId}`}>{name}</Link> : name,
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
        {
          id: 'from',
          name: 'Data of',
          cell: ({ capturedAt }) => (capturedAt === null ? '' : <When at={capturedAt} />),
        },
        {
          id: 'site',
          name: 'Site',
          cell: ({ branchUrl }) =>
            branchUrl === null ? (
              ''
            ) : (
              <a href={branchUrl} target="_blank" rel="noreferrer">
                Open
              </a>
            ),
        },
        { id: 'until', name: 'Kept until', cell: ({ expiresAt }) => <When at={expiresAt} /> },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: (branch: Branch) => (
                  <span className="row-actions one-line">
                    {branch.status !== 'FAILED' && (
                      <Button small variant="quiet" icon={CalendarPlus} onPress={() => renew(branch)}>
                        <span>
                          Renew<span className="seen-by-readers"> {branch.name}</span>
                        </span>
                      </Button>
                    )}
                    <Tooltip text="Delete">
                      <IconButton small icon={Trash2} label={`Delete ${branch.name}`} onPress={() => remove(branch)} />
                    </Tooltip>
                  </span>
                ),
              },
            ]
          : []),
      ]}
      empty={
        <State icon={GitBranch} title="No branches yet" action={first}>
          A branch is a project of its own with the rows, files and functions of this one, for a while. Nothing that
          happens in it is seen here.
        </State>
      }
    />
  );
}
