import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

interface SureProps {
  /** What the second button says, which does it: whole, for whoever hears it alone. */
  readonly really: string;
  readonly busy?: boolean;
  readonly run: () => unknown;
  readonly className?: string;
  /** What the first button says. */
  readonly children: ReactNode;
}

/** A button for what cannot be taken back: it asks once more, in its place. Escape leaves all as it is. */
export function Sure({ really, busy = false, run, className = 'plain slim', children }: SureProps) {
  const [asking, setAsking] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const keeping = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  // The keyboard goes where the question is, and comes back.
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
    // The dialog around it stays.
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
