import { type LeasedWork, startLeasedWork } from '../../kernel/durability/leased-work.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { fillBranch, leasedBranches } from './fill-branch.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Makes branches on this node. */
    readonly branchWork: LeasedWork;
  }
}

/** @param contextOf the context of background work, which ends with the signal */
export const startBranchWorkers = (services: Services, contextOf: (signal: AbortSignal) => Context) =>
  startLeasedWork({
    rows: services.db.rows,
    log: services.log,
    statements: leasedBranches,
    run: (item, signal) => fillBranch(contextOf(signal), item),
    // Each may hold the definitions of a large database.
    atOnce: 2,
    perLane: 1,
    renewMs: 5_000,
    pollMs: 2_000,
  });
