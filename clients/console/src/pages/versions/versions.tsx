import { Lock, PackageOpen, Store } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { VersionForm } from './version-form.tsx';
import { VersionTable } from './version-table.tsx';
import { DeleteAppVersionDocument, type VersionRowFragment, VersionsDocument } from './versions.graphql.ts';

/** How often the list is read again, in milliseconds: while a version is prepared, and otherwise. */
const preparingMs = 2_000;
const quietMs = 30_000;

/** The versions of a project that were published for others to fork. The address holds the dialog. */
export default function VersionsPage({ project: id }: { readonly project: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [chosen, setChosen] = useSearch('version', '');
  const answer = useAsk(VersionsDocument, { project: id });
  const project = answer.data?.project;
  const versions = project?.appVersions ?? [];
  const isPreparing = versions.some(({ status, error }) => status === 'DRAFT' && error === null);
  useWhileVisible(isPreparing ? preparingMs : quietMs, answer.again);
  const mayWrite = project != null && mayOn(project, 'project:apps:write');
  const publish = () => setDialog('publish');
  useCommands(mayWrite ? [{ id: 'publish version', name: 'Publish a version', icon: PackageOpen, act: publish }] : []);
  const open = (kind: string) => (version: VersionRowFragment) => {
    setChosen(version.versionId, { replace: true });
    setDialog(kind);
  };
  const close = () => {
    setDialog('', { replace: true });
    setChosen('', { replace: true });
    answer.again();
  };
  const one = versions.find(({ versionId }) => versionId === chosen);
  return (
    <Page
      title="Published versions"
      lead="What others may make projects from: the schema, functions and site of this one, never its data or secrets."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={PackageOpen} onPress={publish}>
            Publish a version
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:apps:read') ? (
        <State icon={Lock} title="You cannot see the versions">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Store} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <VersionTable
                versions={versions}
                mayWrite={mayWrite}
                change={open('change')}
                remove={open('delete')}
                first={mayWrite && <Button onPress={publish}>Publish the first version</Button>}
              />
            )
          }
        </Loaded>
      )}
      {dialog === 'publish' && mayWrite && <VersionForm project={id} close={close} />}
      {dialog === 'change' && mayWrite && one !== undefined && <VersionForm project={id} version={one} close={close} />}
      {dialog === 'delete' && mayWrite && one !== undefined && (
        <DeleteVersion project={id} version={one} close={close} />
      )}
    </Page>
  );
}

interface DeleteVersionProps {
  readonly project: string;
  readonly version: VersionRowFragment;
  readonly close: () => void;
}

function DeleteVersion({ project, version: { versionId, number }, close }: DeleteVersionProps) {
  const remove = useChange(DeleteAppVersionDocument);
  return (
    <Confirm
      title={`Delete version ${number}?`}
      isOpen
      close={close}
      act="Delete version"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, version: versionId });
        if (done !== undefined) announce('The version is deleted.');
        return done !== undefined;
      }}
    >
      Nobody can fork it any more. Projects that were made from it stay as they are.
    </Confirm>
  );
}
