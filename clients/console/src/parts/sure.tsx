import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

interface SureProps {
  /** The label of the second button, which runs the action: complete, for a screen reader that announces only it. */
  readonly really: string;
  readonly busy?: boolean;
  readonly run: () => unknown;
  readonly className?: string;
  /** The label of the first button. */
  readonly children: ReactNode;
}

/** A button for an action that cannot be undone: it asks for confirmation in its place. Escape cancels. */
export function Sure({ really, busy = false, run, className = 'plain slim', children }: SureProps) {
  const [asking, setAsking] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const keeping = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  // The keyboard focus moves to the confirmation and back.
  useEffect(() => {
    if (asking) keeping.current?.focus();
    else if (asked.current) first.current?.focus();
    asked.current = asking;
  }, [asking]);
  if (!asking)
    return (
      <button ref={first} type="button" className={className} disabled={busy} onClick={() => setAsking(true)}>
        {children}
      </button>
    );
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // Keeps the surrounding dialog open.
    event.preventDefault();
    setAsking(false);
  };
  const go = async () => {
    await run();
    setAsking(false);
  };
  return (
    <>
      <button type="button" className="slim danger" disabled={busy} onKeyDown={leave} onClick={() => void go()}>
        {really}
      </button>
      <button
        ref={keeping}
        type="button"
        className="plain slim"
        disabled={busy}
        onKeyDown={leave}
        onClick={() => setAsking(false)}
      >
        Keep
      </button>
    </>
  );
}
