import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  readonly title: string;
  /** It was closed without an answer. */
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Something that has to be answered before anything else; Escape closes it, and the keyboard comes back to where it was. */
export function Dialog({ title, close, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // By the time of other effects it is gone, and closes no more.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closed before it goes, so that the keyboard comes back.
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
