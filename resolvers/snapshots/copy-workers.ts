import { type LeasedWork, startLeasedWork } from '../../kernel/durability/leased-work.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { executeRestore, leasedRestores } from './restore/execute-restore.ts';
import { leasedSnapshots, takeSnapshot } from './take-snapshot.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Takes and restores snapshots on this node. */
    readonly copies: LeasedWork;
  }
}

/** Copies of each kind that a node makes at a time: each may hold the definitions of a large database. */
const atOnce = 2;
/** How soon a node finds out that a copy was taken over or deleted, in milliseconds. */
const renewMs = 5_000;
const pollMs = 2_000;

/** @param contextOf the context of background work, which ends with the signal */
export function startCopyWorkers(services: Services, contextOf: (signal: AbortSignal) => Context) {
  const shared = { rows: services.db.rows, log: services.log, atOnce, perLane: 1, renewMs, pollMs };
  const all = [
    startLeasedWork({
      ...shared,
      statements: leasedSnapshots,
      run: (item, signal) => takeSnapshot(contextOf(signal), item),
    }),
    startLeasedWork({
      ...shared,
      statements: leasedRestores,
      run: (item, signal) => executeRestore(contextOf(signal), item),
    }),
  ];
  return {
    wake: () => {
      for (const one of all) one.wake();
    },
    abort: (id: string) => {
      for (const one of all) one.abort(id);
    },
    stop: async () => void (await Promise.all(all.map((one) => one.stop()))),
  };
}
