import { useEffect, useEffectEvent, useRef } from 'react';

/** What comes in a burst is answered once; what does not end is answered so often. In milliseconds. */
const settleMs = 120;

/** Has something done a moment after it was asked for, once for all who asked meanwhile. */
export function useSettled(run: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, settleMs);
  };
}

/** Has something done again and again, for what no feed tells of. @param everyMs undefined: never */
export function useEvery(everyMs: number | undefined, run: () => void): void {
  const onDue = useEffectEvent(run);
  useEffect(() => {
    const timer = everyMs === undefined ? undefined : setInterval(() => onDue(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
