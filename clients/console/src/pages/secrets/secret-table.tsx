import { KeyRound, RotateCw, SearchX, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Principal } from '../../design/principal.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { isOld, type Project, type Secret, setterOf } from './secret-types.ts';

interface SecretTableProps {
  readonly project: Project;
  readonly secrets: readonly Secret[];
  readonly isFiltered: boolean;
  readonly mayWrite: boolean;
  readonly replace: (key: string) => void;
  readonly remove: (key: string) => void;
  /** The button that sets the first one. */
  readonly first: ReactNode;
}

/** Secrets by key. Their values are shown to nobody. */
export function SecretTable({ project, secrets, isFiltered, mayWrite, replace, remove, first }: SecretTableProps) {
  return (
    <Table
      label="Secrets"
      rows={secrets}
      keyOf={({ key }) => key}
      columns={[
        { id: 'key', name: 'Key', grows: true, cell: ({ key }) => <code className="secret-key">{key}</code> },
        {
          id: 'set',
          name: 'Set',
          cell: (secret) => (
            <span className="secret-age">
              <When at={secret.updatedAt} />
              {isOld(secret) && <Badge mood="warn">Rotate</Badge>}
            </span>
          ),
        },
        {
          id: 'by',
          name: 'By',
          cell: (secret) => {
            const setter = setterOf(project, secret);
            return (
              <span className="small">{setter === undefined ? 'The service key' : <Principal who={setter} />}</span>
            );
          },
        },
        { id: 'made', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: ({ key }: Secret) => (
                  <span className="row-actions one-line">
                    <Button small variant="quiet" icon={RotateCw} onPress={() => replace(key)}>
                      <span>
                        Replace<span className="seen-by-readers"> {key}</span>
                      </span>
                    </Button>
                    <Tooltip text="Delete">
                      <IconButton small icon={Trash2} label={`Delete ${key}`} onPress={() => remove(key)} />
                    </Tooltip>
                  </span>
                ),
              },
            ]
          : []),
      ]}
      empty={
        isFiltered ? (
          <State icon={SearchX} title="No secret fits">
            Search for another part of its key.
          </State>
        ) : (
          <State icon={KeyRound} title="No secrets yet" action={first}>
            Keep here what the project needs and nobody should read, for example the key of another service.
          </State>
        )
      }
    />
  );
}
