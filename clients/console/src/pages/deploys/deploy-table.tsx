import { Rocket, SearchX, Undo2 } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { DeployActor } from './deploy-actor.tsx';
import { DeployStatus, isAtWork } from './deploy-status.tsx';
import { canPromote, type DeployProject, type DeploySummary, kindNames, releaseOf } from './deploy-types.ts';
import { duration } from './duration.ts';

interface DeployTableProps {
  readonly project: DeployProject;
  readonly deploys: readonly DeploySummary[];
  readonly isFiltered: boolean;
  readonly mayWrite: boolean;
  readonly promote: (release: string) => void;
  readonly showHow: () => void;
}

/** Deploys and promotions, newest first. The one that is live bears a badge. */
export function DeployTable({ project, deploys, isFiltered, mayWrite, promote, showHow }: DeployTableProps) {
  const activeId = project.activeRelease?.releaseId ?? null;
  const live = deploys.find(({ status, releaseId }) => status === 'ready' && releaseId === activeId)?.operationId;
  return (
    <Table
      label="Deployments"
      rows={deploys}
      keyOf={({ operationId }) => operationId}
      linkOf={({ operationId }) => `/projects/${project.projectId}/deploys/${operationId}`}
      columns={[
        {
          id: 'release',
          name: 'Release',
          grows: true,
          cell: (one) => <code className="bare">{releaseOf(one) ?? one.operationId}</code>,
        },
        {
          id: 'status',
          name: 'Status',
          cell: (one) => (
            <span className="deploy-badges">
              <DeployStatus status={one.status} />
              {one.operationId === live && <Badge mood="accent">Live</Badge>}
            </span>
          ),
        },
        { id: 'kind', name: 'Kind', cell: ({ kind }) => kindNames[kind] ?? kind },
        {
          id: 'by',
          name: 'By',
          cell: (one) => (
            <span className="small">
              <DeployActor project={project} deploy={one} />
            </span>
          ),
        },
        { id: 'began', name: 'Began', cell: ({ createdAt }) => <When at={createdAt} /> },
        {
          id: 'took',
          name: 'Took',
          align: 'end',
          cell: ({ status, createdAt, updatedAt }) => (
            <span className="small quiet">{isAtWork(status) ? '…' : duration(createdAt, updatedAt)}</span>
          ),
        },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: (one: DeploySummary) =>
                  canPromote(one, project) && (
                    <Button small variant="quiet" icon={Undo2} onPress={() => promote(one.releaseId!)}>
                      <span>
                        Make live<span className="seen-by-readers"> {one.releaseId}</span>
                      </span>
                    </Button>
                  ),
              },
            ]
          : []),
      ]}
      empty={
        isFiltered ? (
          <State icon={SearchX} title="No deployment fits">
            Take a filter away.
          </State>
        ) : (
          <State
            icon={Rocket}
            title="Nothing deployed yet"
            action={mayWrite && <Button onPress={showHow}>How to deploy</Button>}
          >
            A deploy makes the project serve a site, all at once. It is begun from a terminal or a program.
          </State>
        )
      }
    />
  );
}
