import type { LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { startLeasedWork } from '../../../kernel/durability/leased-work.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';
import { leasedRuns } from './attempt-statements.ts';
import { executeRun } from './execute-run.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Works on the runs of functions on this node. */
    readonly functionRuns: LeasedWork;
  }
}

/** Runs that a node works on at a time, and of one project: half of the calls that a project may have. */
const atOnce = 16;
const ofProject = 2;
/** How soon a node finds out that a run was cancelled elsewhere, in milliseconds; a fraction of the lease. */
const renewMs = 5_000;
/** How often a node looks for runs that are due, in milliseconds: as often as it looks for jobs. */
const pollMs = 2_000;

/** @param contextOf the context of background work, which ends with the signal */
export const startRunWorkers = (services: Services, contextOf: (signal: AbortSignal) => Context) =>
  startLeasedWork({
    statements: leasedRuns,
    rows: services.db.rows,
    log: services.log,
    run: (item, signal) => executeRun(contextOf(signal), item),
    atOnce,
    perLane: ofProject,
    renewMs,
    pollMs,
  });
