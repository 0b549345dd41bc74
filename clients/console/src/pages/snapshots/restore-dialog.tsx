import { useEffect, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Checkbox } from '../../design/field.tsx';
import { Loading } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Note } from '../../design/note.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { messageOf } from '../../graph/message-of.ts';
import { useChange } from '../../graph/use-change.ts';
import { RestoreSnapshotDocument, type RestoreSnapshotMutation } from './snapshots.graphql.ts';

interface RestoreDialogProps {
  readonly project: string;
  readonly snapshot: string;
  readonly close: () => void;
}

type Plan = NonNullable<NonNullable<RestoreSnapshotMutation['restoreProjectSnapshot']>['plan']>;

/** Says what a restore loses, and restores once somebody has agreed. Another choice is another plan. */
export function RestoreDialog({ project, snapshot, close }: RestoreDialogProps) {
  const planning = useChange(RestoreSnapshotDocument);
  const restoring = useChange(RestoreSnapshotDocument);
  const [includeAuth, setIncludeAuth] = useState(false);
  const [agrees, setAgrees] = useState(false);
  const [plan, setPlan] = useState<Plan>();
  const [failure, setFailure] = useState<string>();
  const { run } = planning;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again only for another choice.
  useEffect(() => {
    setPlan(undefined);
    setAgrees(false);
    void run({ project, snapshot, includeAuth }).then((answer) =>
      setPlan(answer?.restoreProjectSnapshot?.plan ?? undefined),
    );
  }, [project, snapshot, includeAuth]);
  const confirm = async () => {
    const answer = await restoring.run({ project, snapshot, includeAuth, confirm: plan!.confirmToken });
    const restore = answer?.restoreProjectSnapshot?.restore;
    if (restore == null) return;
    if (restore.status === 'failed') return setFailure(messageOf(restore.error) ?? 'The restore failed.');
    announce(restore.status === 'ready' ? 'The database is restored.' : 'The restore goes on by itself.');
    close();
  };
  return (
    <Modal
      title="Restore this snapshot?"
      isOpen
      close={close}
      kind="alert"
      foot={
        <>
          <Button autoFocus onPress={close}>
            Cancel
          </Button>
          <Button
            variant="danger"
            isPending={restoring.busy}
            isDisabled={plan === undefined || !agrees}
            onPress={() => void confirm()}
          >
            Restore the database
          </Button>
        </>
      }
    >
      {plan === undefined ? (
        planning.error === undefined && <Loading />
      ) : (
        <>
          <p>
            The database goes back to <When at={plan.snapshotAt} />.
          </p>
          <Note mood="warn" title="What is lost">
            {plan.dataLossStatement}
          </Note>
          <p className="quiet small">{(plan.auth as { readonly message: string }).message}</p>
        </>
      )}
      <Checkbox isSelected={includeAuth} onChange={setIncludeAuth} isDisabled={restoring.busy}>
        Restore users and passkeys, too. Everybody is signed out.
      </Checkbox>
      <Checkbox isSelected={agrees} onChange={setAgrees} isDisabled={plan === undefined || restoring.busy}>
        I know what is lost
      </Checkbox>
      {failure !== undefined && (
        <Note mood="bad" title="The restore failed">
          {failure} The project has the database that it had.
        </Note>
      )}
      <ErrorNote error={planning.error ?? restoring.error} />
    </Modal>
  );
}
