import { useEffect, useEffectEvent } from 'react';

/**
 * Runs a function at an interval while the page is visible, and at once when it becomes visible again after a longer time.
 *
 * @param everyMs undefined: never
 */
export function useWhileVisible(everyMs: number | undefined, run: () => void): void {
  const onDue = useEffectEvent(run);
  useEffect(() => {
    if (everyMs === undefined) return;
    let last = performance.now();
    const look = () => {
      if (document.visibilityState !== 'visible' || performance.now() - last < everyMs) return;
      last = performance.now();
      onDue();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [everyMs]);
}
