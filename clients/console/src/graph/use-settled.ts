import { useEffect, useEffectEvent, useRef } from 'react';

/** Debounce delay in milliseconds: a burst of calls causes one run, an endless one a run after each delay. */
const settleMs = 120;

/** Runs a function a moment after a call, once for all calls in between. */
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

/** Runs a function at an interval, for data without a feed. @param everyMs undefined: never */
export function useEvery(everyMs: number | undefined, run: () => void): void {
  const onDue = useEffectEvent(run);
  useEffect(() => {
    const timer = everyMs === undefined ? undefined : setInterval(() => onDue(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
