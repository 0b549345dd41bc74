import './secrets.css';
import { KeyRound, Lock, Plus } from 'lucide-react';
import { count, counted } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { SearchField } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DeleteSecret } from './delete-secret.tsx';
import { SecretTable } from './secret-table.tsx';
import { isOld, type Project, rotationDays } from './secret-types.ts';
import { SecretsDocument } from './secrets.graphql.ts';
import { SetSecret } from './set-secret.tsx';

/** How often the list is read again, in milliseconds: others set secrets, too, and no feed tells of them. */
const everyMs = 15_000;

/** The secrets of a project: their keys and ages. Values are written here and read nowhere. */
export default function SecretsPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(SecretsDocument, { project: id });
  useWhileVisible(everyMs, answer.again);
  const project = answer.data?.project;
  const [, setDialog] = useSearch('dialog', '');
  const mayWrite = project != null && mayOn(project, 'project:secrets:write');
  useCommands(
    mayWrite
      ? [{ id: 'set secret', name: 'Set a secret', icon: Plus, words: 'new add', act: () => setDialog('set') }]
      : [],
  );
  return (
    <Page
      title="Secrets"
      lead="Values that the project needs and nobody reads, such as keys of other services."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} onPress={() => setDialog('set')}>
            Set secret
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:secrets:read') ? (
        <State icon={Lock} title="You cannot see the secrets">
          Developers, admins and owners of the organization see their keys. Their values are shown to nobody.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={KeyRound} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <Secrets project={found} mayWrite={mayWrite} />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

function Secrets({ project, mayWrite }: { readonly project: Project; readonly mayWrite: boolean }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [key, setKey] = useSearch('key', '');
  const find = useTypedSearch('q');
  const all = project.secrets ?? [];
  const found = all.filter((secret) => secret.key.includes(find.applied.toUpperCase()));
  const named = all.find((secret) => secret.key === key)?.key;
  const old = all.filter(isOld).length;
  const limit = project.organization?.limits.secrets;
  /** One entry of the history leads from the dialog back. */
  const ask = (name: string, of: string) => {
    setKey(of, { replace: true });
    setDialog(name);
  };
  const close = () => {
    setDialog('', { replace: true });
    setKey('', { replace: true });
  };
  return (
    <>
      {old > 0 && (
        <Note
          mood="warn"
          title={
            old === 1
              ? `One value is older than ${rotationDays} days`
              : `${count(old)} values are older than ${rotationDays} days`
          }
        >
          A value that leaked without a trace is worth something until it is replaced.
        </Note>
      )}
      {all.length > 0 && (
        <Toolbar
          label="Filter"
          end={
            <span className="quiet small">
              {limit === undefined
                ? counted(all.length, 'secret')
                : `${counted(all.length, 'secret')} here. The organization may have ${count(limit)} in all its projects.`}
            </span>
          }
        >
          <div className="secret-find">
            <SearchField label="Find a key" value={find.typed} onChange={find.type} />
          </div>
        </Toolbar>
      )}
      <SecretTable
        project={project}
        secrets={found}
        isFiltered={all.length > 0}
        mayWrite={mayWrite}
        replace={(secret) => ask('replace', secret)}
        remove={(secret) => ask('delete', secret)}
        first={mayWrite && <Button onPress={() => setDialog('set')}>Set the first secret</Button>}
      />
      <Section title="Replace a value without an outage">
        <ol className="secret-steps">
          <li>Create a second value at the service that issued the first one. Keep both valid.</li>
          <li>Replace the value here. The next read gets the new value.</li>
          <li>Revoke the first value when nothing uses it any more.</li>
        </ol>
        <p className="quiet small">
          A deploy names the keys that it needs under <code>secrets.require</code>, and is refused while one is missing.
          Values are no part of a release: going back to an earlier one keeps them as they are.
        </p>
      </Section>
      {dialog === 'set' && mayWrite && (
        <SetSecret
          project={project.projectId}
          replaced={undefined}
          taken={all.map((secret) => secret.key)}
          close={close}
        />
      )}
      {dialog === 'replace' && mayWrite && named !== undefined && (
        <SetSecret project={project.projectId} replaced={named} taken={[]} close={close} />
      )}
      {dialog === 'delete' && mayWrite && named !== undefined && (
        <DeleteSecret project={project.projectId} secret={named} close={close} />
      )}
    </>
  );
}
