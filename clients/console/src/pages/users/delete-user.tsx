import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { UserDialogProps } from './send-link.tsx';
import { DeleteUserDocument } from './users.graphql.ts';

/** Asks whether a user is to be deleted. */
export function DeleteUser({ projectId, user: { userId, email }, close }: UserDialogProps) {
  const change = useChange(DeleteUserDocument);
  const run = async () => {
    if ((await change.run({ project: projectId, userId })) === undefined) return;
    announce(`${email} is deleted.`);
    close(true);
  };
  return (
    <Modal
      title="Delete this user?"
      isOpen
      close={() => close()}
      kind="alert"
      foot={
        <>
          <Button onPress={() => close()}>Cancel</Button>
          <Button variant="danger" isPending={change.busy} onPress={() => void run()}>
            Delete user
          </Button>
        </>
      }
    >
      <p>
        <bdi>{email}</bdi> is signed out and cannot sign in any more. Rows that belong to the user stay in the tables.
        This cannot be undone.
      </p>
      <ErrorNote error={change.error} />
    </Modal>
  );
}
