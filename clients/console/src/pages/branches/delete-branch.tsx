import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { Branch } from './branch-types.ts';
import { DeleteBranchDocument } from './branches.graphql.ts';

interface DeleteBranchProps {
  readonly project: string;
  readonly branch: Pick<Branch, 'branchProjectId' | 'name'>;
  readonly close: () => void;
}

/** Asks whether a branch is to be deleted. */
export function DeleteBranch({ project, branch: { branchProjectId, name }, close }: DeleteBranchProps) {
  const remove = useChange(DeleteBranchDocument);
  return (
    <Confirm
      title={`Delete ${name}?`}
      isOpen
      close={close}
      act="Delete branch"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, branch: branchProjectId });
        if (done !== undefined) announce('The branch is deleted.');
        return done !== undefined;
      }}
    >
      Its rows, files and keys are gone for good. The project that it was made from stays as it is.
    </Confirm>
  );
}
