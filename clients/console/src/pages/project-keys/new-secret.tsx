import { Button } from '../../design/button.tsx';
import { Secret } from '../../design/code.tsx';
import { Modal } from '../../design/modal.tsx';

/** Shows a key, which the gateway tells once. A press outside does not close it. */
export function NewSecret({ secret, close }: { readonly secret: string; readonly close: () => void }) {
  return (
    <Modal
      title="The new key"
      isOpen
      close={close}
      kind="alert"
      foot={
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      }
    >
      <p>Copy it now: it is not shown again. Keep a service key on servers: it may do everything in the project.</p>
      <Secret name="key" value={secret} />
    </Modal>
  );
}
