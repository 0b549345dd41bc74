import { GitBranch, Lock, Plus } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
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
import { BranchTable } from './branch-table.tsx';
import type { Branch } from './branch-types.ts';
import { BranchesDocument, RenewBranchDocument } from './branches.graphql.ts';
import { CreateBranch } from './create-branch.tsx';
import { DeleteBranch } from './delete-branch.tsx';

/** How often the list is read again, in milliseconds: while a branch is made, and otherwise. */
const creatingMs = 2_000;
const quietMs = 15_000;

/** Days for which a branch is renewed. */
const renewedDays = 7;

/** The branches of a project. The address holds the dialog. */
export default function BranchesPage({ project: id }: { readonly project: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [chosen, setChosen] = useSearch('branch', '');
  const answer = useAsk(BranchesDocument, { project: id });
  const project = answer.data?.project;
  const branches = project?.branches ?? [];
  useWhileVisible(branches.some(({ status }) => status === 'CREATING') ? creatingMs : quietMs, answer.again);
  const mayWrite = project != null && mayOn(project, 'project:branches:manage');
  const renewing = useChange(RenewBranchDocument);
  const create = () => setDialog('create');
  useCommands(mayWrite ? [{ id: 'create branch', name: 'Create a branch', icon: Plus, act: create }] : []);
  const renew = async ({ branchProjectId, name }: Branch) => {
    if ((await renewing.run({ project: id, branch: branchProjectId, ttlDays: renewedDays })) === undefined) return;
    announce(`${name} is kept for another ${renewedDays} days.`);
    answer.again();
  };
  const close = () => {
    setDialog('', { replace: true });
    setChosen('', { replace: true });
    answer.again();
  };
  const removed = branches.find(({ branchProjectId }) => branchProjectId === chosen);
  const snapshots = project?.snapshots?.edges.map(({ node }) => node).filter(({ status }) => status === 'READY') ?? [];
  return (
    <Page
      title="Branches"
      lead="Projects that are made from this one for a while, to try things on."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} onPress={create}>
            Create a branch
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:branches:read') ? (
        <State icon={Lock} title="You cannot see the branches">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <>
          <ErrorNote error={renewing.error} />
          <Loaded answer={answer}>
            {({ project: found }) =>
              found === null ? (
                <State icon={GitBranch} title="Project not found">
                  It was deleted, or you have no access to it.
                </State>
              ) : (
                <BranchTable
                  branches={branches}
                  mayWrite={mayWrite}
                  renew={(branch) => void renew(branch)}
                  remove={({ branchProjectId }) => {
                    setChosen(branchProjectId, { replace: true });
                    setDialog('delete');
                  }}
                  first={mayWrite && <Button onPress={create}>Create the first branch</Button>}
                />
              )
            }
          </Loaded>
        </>
      )}
      {dialog === 'create' && mayWrite && <CreateBranch project={id} snapshots={snapshots} close={close} />}
      {dialog === 'delete' && mayWrite && removed !== undefined && (
        <DeleteBranch project={id} branch={removed} close={close} />
      )}
    </Page>
  );
}
