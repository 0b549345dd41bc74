import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { DeleteSnapshotDocument } from './snapshots.graphql.ts';

interface DeleteSnapshotProps {
  readonly project: string;
  readonly snapshot: string;
  readonly close: () => void;
}

/** Asks whether a snapshot is to be deleted. */
export function DeleteSnapshot({ project, snapshot, close }: DeleteSnapshotProps) {
  const remove = useChange(DeleteSnapshotDocument);
  return (
    <Confirm
      title="Delete this snapshot?"
      isOpen
      close={close}
      act="Delete snapshot"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, snapshot });
        if (done !== undefined) announce('The snapshot is deleted.');
        return done !== undefined;
      }}
    >
      <code>{snapshot}</code> is gone for good. The database stays as it is.
    </Confirm>
  );
}
