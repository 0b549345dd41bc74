import { contractCalls } from '../../../db/schema/signers.ts';
import { leasedStatements } from '../../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { followCall } from './follow-call.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Sends calls of signers, and looks what becomes of them, on this node. */
    readonly contractCalls: LeasedWork;
  }
}

/** How long a node that has a call is believed to be alive, in seconds. */
const leaseSeconds = 60;

/** Calls of signers until each is confirmed or has failed, in turns between projects. */
export const callWork: LeasedKind = {
  statements: leasedStatements(
    {
      table: contractCalls,
      id: contractCalls.id,
      lane: contractCalls.projectId,
      dueAt: contractCalls.dueAt,
      lease: contractCalls.lease,
    },
    leaseSeconds,
  ),
  run: followCall,
  atOnce: 32,
  perLane: 12,
  renewMs: 15_000,
};
