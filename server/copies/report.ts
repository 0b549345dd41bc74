/** Tells whoever started a program how far it has come: a JSON document a line on standard output. */
export interface Report {
  /** A step begins; it has a name that stays. */
  readonly step: (name: string, facts?: Readonly<Record<string, unknown>>) => void;
  /** There are that many bytes more to be read. */
  readonly more: (bytes: number) => void;
  /** Bytes were read. */
  readonly done: (bytes: number) => void;
}

const everyMs = 200;

export function createReport(write: (document: object) => void): Report {
  let [all, read, toldAt] = [0, 0, 0];
  return {
    step: (step, facts = {}) => write({ step, ...facts }),
    more: (bytes) => {
      all += bytes;
    },
    done: (bytes) => {
      read += bytes;
      const now = performance.now();
      if (now - toldAt < everyMs) return;
      toldAt = now;
      // Tables on disk and what is copied of them differ in size: the end is known when it is there.
      write({ progress: all === 0 ? null : Math.min(0.99, read / all) });
    },
  };
}
