import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { fillBranch, leasedBranches } from './fill-branch.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Makes branches on this node. */
    readonly branchWork: LeasedWork;
  }
}

/** Branches that are made: each may hold the definitions of a large database. */
export const branchWork: LeasedKind = {
  statements: leasedBranches,
  run: fillBranch,
  atOnce: 2,
  perLane: 1,
  renewMs: 5_000,
};
