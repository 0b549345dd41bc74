const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs something once the server drains. However many wait for it, the signal has one listener.
 *
 * @returns stops waiting
 */
export function whenDraining(draining: AbortSignal, run: () => void): () => void {
  let all = listeners.get(draining);
  if (all === undefined) {
    const made = new Set<() => void>();
    all = made;
    listeners.set(draining, made);
    draining.addEventListener(
      'abort',
      () => {
        for (const one of [...made]) one();
      },
      { once: true },
    );
  }
  if (draining.aborted) queueMicrotask(run);
  all.add(run);
  return () => void all.delete(run);
}
