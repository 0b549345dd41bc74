import { History, Lock, Plus } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DeleteSnapshot } from './delete-snapshot.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { SnapshotTable } from './snapshot-table.tsx';
import { kindAsked, kindNames } from './snapshot-types.ts';
import { CreateSnapshotDocument, SnapshotsDocument } from './snapshots.graphql.ts';

/** How often the list is read again, in milliseconds: while a snapshot is taken, and otherwise. */
const runningMs = 2_000;
const quietMs = 15_000;

const kindOptions = [{ id: 'any', name: 'Any kind' }, ...Object.entries(kindNames).map(([id, name]) => ({ id, name }))];

/** The snapshots of a project's database. The address holds the kind and the dialog. */
export default function SnapshotsPage({ project: id }: { readonly project: string }) {
  const [kind, setKind] = useSearch('kind', 'any');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [chosen, setChosen] = useSearch('snapshot', '');
  const asked = { kind: kindAsked(kind) };
  const pages = usePages(JSON.stringify(asked));
  const answer = useAsk(SnapshotsDocument, { project: id, after: pages.after, ...asked });
  useExistingPage(pages, answer.error);
  const project = answer.data?.project;
  const snapshots = project?.snapshots?.edges.map(({ node }) => node) ?? [];
  useWhileVisible(snapshots.some(({ status }) => status === 'RUNNING') ? runningMs : quietMs, answer.again);
  const mayWrite = project != null && mayOn(project, 'project:snapshots:manage');
  const create = useChange(CreateSnapshotDocument);
  const take = async () => {
    if ((await create.run({ project: id })) === undefined) return;
    announce('The snapshot is being taken.');
    answer.again();
  };
  useCommands(mayWrite ? [{ id: 'take snapshot', name: 'Take a snapshot', icon: Plus, act: () => void take() }] : []);
  /** One entry of the history leads from the dialog back. */
  const ask = (name: string, of: string) => {
    setChosen(of, { replace: true });
    setDialog(name);
  };
  const close = () => {
    setDialog('', { replace: true });
    setChosen('', { replace: true });
    answer.again();
  };
  return (
    <Page
      title="Snapshots"
      lead="Copies of the database, each as it was at one moment, and the way back to it."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} isPending={create.busy} onPress={() => void take()}>
            Take a snapshot
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:snapshots:read') ? (
        <State icon={Lock} title="You cannot see the snapshots">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <>
          <ErrorNote error={create.error} />
          <Filters>
            <Select label="Kind" options={kindOptions} value={asked.kind ?? 'any'} onChange={setKind} />
          </Filters>
          <Loaded answer={answer}>
            {({ project: found }) =>
              found === null ? (
                <State icon={History} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              ) : (
                <>
                  <SnapshotTable
                    snapshots={snapshots}
                    isFiltered={asked.kind !== null || pages.back !== undefined}
                    mayWrite={mayWrite}
                    restore={(snapshot) => ask('restore', snapshot)}
                    remove={(snapshot) => ask('delete', snapshot)}
                    first={mayWrite && <Button onPress={() => void take()}>Take the first snapshot</Button>}
                  />
                  <Pager pages={pages} info={found.snapshots?.pageInfo} list="snapshots" />
                </>
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'restore' && mayWrite && chosen !== '' && (
        <RestoreDialog project={id} snapshot={chosen} close={close} />
      )}
      {dialog === 'delete' && mayWrite && chosen !== '' && (
        <DeleteSnapshot project={id} snapshot={chosen} close={close} />
      )}
    </Page>
  );
}
