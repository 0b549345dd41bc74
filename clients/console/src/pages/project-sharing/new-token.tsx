import { Button } from '../../design/button.tsx';
import { Secret } from '../../design/code.tsx';
import { Modal } from '../../design/modal.tsx';

/** Shows the token of a delegate, which the gateway tells once. A press outside does not close it. */
export function NewToken({ token, close }: { readonly token: string; readonly close: () => void }) {
  return (
    <Modal
      title="The token of the delegate"
      isOpen
      close={close}
      kind="alert"
      foot={
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      }
    >
      <p>Copy it now: it is not shown again. Anyone who has it acts as the delegate.</p>
      <Secret name="token" value={token} />
    </Modal>
  );
}
