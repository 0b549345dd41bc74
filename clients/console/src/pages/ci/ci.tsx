import { Ban, Lock, Workflow } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { type CiBindingRowFragment, CiBindingsDocument } from './ci.graphql.ts';
import { RevokeBinding } from './revoke-binding.tsx';

/** Workflows of CI that may deploy to a project. A wallet makes bindings, so the command does. The address holds the dialog. */
export default function CiPage({ project: id }: { readonly project: string }) {
  const [chosen, setChosen] = useSearch('binding', '');
  const answer = useAsk(CiBindingsDocument, { project: id });
  const project = answer.data?.project;
  const mayWrite = project != null && mayOn(project, 'project:delegates:write');
  const bindings = project?.ciBindings ?? [];
  const revoked = bindings.find(({ bindingId }) => bindingId === chosen);
  const command = `svc ci link github ${id} --subject repo:<owner>/<name>:ref:refs/heads/main`;
  const close = () => {
    setChosen('', { replace: true });
    answer.again();
  };
  return (
    <Page
      title="CI"
      lead="Workflows that deploy by the token that CI gives them. No secret is stored there."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={mayWrite && <CopyButton what="the command that links a workflow" text={command} />}
    >
      {project != null && !mayOn(project, 'project:delegates:read') ? (
        <State icon={Lock} title="You cannot see the bindings">
          Owners of the organization see them.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Workflow} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <Bindings bindings={bindings} mayWrite={mayWrite} revoke={setChosen} command={command} />
            )
          }
        </Loaded>
      )}
      {mayWrite && revoked !== undefined && <RevokeBinding binding={revoked} close={close} />}
    </Page>
  );
}

interface BindingsProps {
  readonly bindings: readonly CiBindingRowFragment[];
  readonly mayWrite: boolean;
  readonly revoke: (id: string) => void;
  readonly command: string;
}

/** Those that hold first. */
function Bindings({ bindings, mayWrite, revoke, command }: BindingsProps) {
  return (
    <Table
      label="Bindings"
      rows={bindings}
      keyOf={({ bindingId }) => bindingId}
      columns={[
        {
          id: 'subject',
          name: 'Subject',
          grows: true,
          cell: ({ subjectMatch }) => <code>{breakable(subjectMatch)}</code>,
        },
        {
          id: 'status',
          name: 'Status',
          cell: ({ revokedAt }) =>
            revokedAt === null ? <Badge mood="good">Active</Badge> : <Badge mood="plain">Revoked</Badge>,
        },
        { id: 'events', name: 'Events', cell: ({ allowedEvents }) => allowedEvents.join(', ') },
        { id: 'routes', name: 'Routes', cell: ({ routeScopes }) => routeScopes.join(', ') },
        {
          id: 'used',
          name: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <When at={lastUsedAt} />),
        },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: ({ bindingId, revokedAt, subjectMatch }: CiBindingRowFragment) =>
                  revokedAt === null && (
                    <Button small variant="quiet" icon={Ban} onPress={() => revoke(bindingId)}>
                      <span>
                        Revoke<span className="seen-by-readers"> {subjectMatch}</span>
                      </span>
                    </Button>
                  ),
              },
            ]
          : []),
      ]}
      empty={
        <State icon={Workflow} title="No workflow may deploy yet">
          Make a binding with <code>{breakable(command)}</code>. The wallet of an owner signs it.
        </State>
      }
    />
  );
}
