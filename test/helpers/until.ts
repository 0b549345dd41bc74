import { vi } from 'vitest';

/** Longest wait, in milliseconds: far beyond what a machine takes that does something else at the same time. */
const patience = 120_000;

/** Waits until a check no longer throws: for what another process, a job or a signal brings about. */
export const until = <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
  vi.waitFor(check, { timeout: patience, interval: 25 });
