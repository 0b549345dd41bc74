/** Hears that a feed has reached a position. */
export type SignalListener = (key: string, head: bigint) => void;

/**
 * Carries the news that a feed has moved, to this process at once and to other nodes when it can. A signal only wakes:
 * a node that misses one finds the row a moment later by itself.
 */
export interface Signals {
  /** Never throws and never waits: it is called right after a commit. */
  publish(key: string, head: bigint): void;
  /** @returns stops listening */
  onSignal(listener: SignalListener): () => void;
  close(): Promise<void>;
}

/** Signals within one process. */
export function localSignals(): Signals {
  const listeners = new Set<SignalListener>();
  return {
    publish: (key, head) => {
      for (const listener of listeners) listener(key, head);
    },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => listeners.clear(),
  };
}
