import { useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import type { Envelope } from '../../graph/envelope.ts';

interface DeleteDialogProps {
  readonly count: number;
  /** @throws Envelope */
  readonly run: () => Promise<void>;
  readonly close: () => void;
}

/** Asks before rows are deleted. A repeated press deletes once. */
export function DeleteDialog({ count, run, close }: DeleteDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const sending = useRef(false);
  const rows = count === 1 ? 'row' : `${count.toLocaleString('en')} rows`;
  const go = async () => {
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await run();
      close();
    } catch (refused) {
      setError(refused as Envelope);
      sending.current = false;
      setBusy(false);
    }
  };
  return (
    <Modal
      title={`Delete ${count === 1 ? 'this' : ''} ${rows}?`.replace('  ', ' ')}
      kind="alert"
      isOpen
      close={close}
      foot={
        <>
          <Button onPress={close}>Keep</Button>
          <Button variant="danger" isPending={busy} onPress={() => void go()}>
            Delete {rows}
          </Button>
        </>
      }
    >
      <p>This cannot be undone.</p>
      <ErrorNote error={error} />
    </Modal>
  );
}
