import type { LeasedKind, LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { leasedRuns } from './attempt-statements.ts';
import { executeRun } from './execute-run.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Works on the runs of functions on this node. */
    readonly functionRuns: LeasedWork;
  }
}

/** Runs of functions, in turns between projects: of one, half of the calls that it may have. */
export const runWork: LeasedKind = {
  statements: leasedRuns,
  run: executeRun,
  atOnce: 16,
  perLane: 2,
  // How soon a node finds out that a run was cancelled elsewhere; a fraction of the lease.
  renewMs: 5_000,
};
