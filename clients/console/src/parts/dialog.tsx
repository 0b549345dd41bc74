import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  /** Called when the user closes the dialog without an answer. */
  readonly close: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. Escape closes it, and the keyboard focus returns to its previous element. */
export function Dialog({ title, close, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect: when other effects clean up, the element is already removed and cannot be closed.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closed before its removal, so that the keyboard focus returns.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={close}>
      <div className="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
