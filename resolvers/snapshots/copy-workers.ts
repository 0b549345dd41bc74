import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { executeRestore, leasedRestores } from './restore/execute-restore.ts';
import { leasedSnapshots, takeSnapshot } from './take-snapshot.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Takes and restores snapshots on this node. */
    readonly copies: LeasedWork;
  }
}

/** Each copy may hold the definitions of a large database. A node finds out in the time of `renewMs` that one was taken over. */
const bounds = { atOnce: 2, perLane: 1, renewMs: 5_000 };

/** Snapshots, and restores. */
export const copyWork: readonly LeasedKind[] = [
  { ...bounds, statements: leasedSnapshots, run: takeSnapshot },
  { ...bounds, statements: leasedRestores, run: executeRestore },
];
