import { vi } from 'vitest';

/** Waits until a check no longer throws, for what a process of its own brings about: longest forty seconds. */
export const until = <Result>(check: () => Promise<Result> | Result): Promise<Result> =>
  vi.waitFor(check, { timeout: 40_000, interval: 25 });
