/** Tells the starter of a program how far it has come: a JSON document a line on standard output. */
export interface Report {
  /** A step begins; it has a name that stays. */
  readonly step: (name: string, facts?: Readonly<Record<string, unknown>>) => void;
  /** Says what all stretches of the work come to. */
  readonly all: (share: number) => void;
  /** A stretch begins, which is so much of all; the one before is done. */
  readonly stretch: (share: number) => void;
  /** So many bytes are to be read in this stretch, as far as that is known: tables and copies of them differ in size. */
  readonly expect: (bytes: number) => void;
  /** Bytes were read. */
  readonly done: (bytes: number) => void;
}

const everyMs = 200;

export function createReport(write: (document: object) => void): Report {
  let [all, passed, share, expected, read] = [0, 0, 0, 0, 0];
  let [progress, recordedAt] = [0, 0];
  return {
    step: (step, facts = {}) => write({ step, ...facts }),
    all: (shares) => {
      all = shares;
    },
    stretch: (next) => {
      passed += share;
      [share, expected, read] = [next, 0, 0];
    },
    expect: (bytes) => {
      [expected, read] = [bytes, 0];
    },
    done: (bytes) => {
      read += bytes;
      const now = performance.now();
      if (now - recordedAt < everyMs) return;
      recordedAt = now;
      const within = expected === 0 ? 0 : Math.min(1, read / expected);
      // A database that is begun anew, because it was changed meanwhile, does not move the bar back.
      if (all > 0) progress = Math.max(progress, Math.min(0.99, (passed + share * within) / all));
      write({ progress: all === 0 ? null : progress });
    },
  };
}
