import { type ReactNode, useRef, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { Modal } from './modal.tsx';

interface ConfirmProps {
  /** A question, for example “Remove Ada?”. */
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** The label of the button that acts: the verb and its object. */
  readonly act: string;
  /** @returns whether it was done; the question stays open otherwise, with the refusal */
  readonly run: () => Promise<boolean>;
  readonly error?: Envelope | undefined;
  /** @default 'danger' */
  readonly variant?: 'danger' | 'primary';
  /** What happens, in one or two sentences. */
  readonly children: ReactNode;
}

/** Asks before something that cannot be undone. Pressing ten times does it once. Escape and “Cancel” leave it. */
export function Confirm({ title, isOpen, close, act, run, error, variant = 'danger', children }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  // The state is only there after the next render, and a second press may come before it.
  const running = useRef(false);
  const go = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      if (await run()) close();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <Modal
      title={title}
      isOpen={isOpen}
      close={close}
      kind="alert"
      foot={
        <>
          <Button autoFocus onPress={close}>
            Cancel
          </Button>
          <Button variant={variant} isPending={busy} onPress={() => void go()}>
            {act}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      <ErrorNote error={error} />
    </Modal>
  );
}
