import { checkouts } from '../../db/schema/checkouts.ts';
import { leasedStatements } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { settleCheckout } from './settle/settle-checkout.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Looks at payments that may have come or gone back, on this node. */
    readonly checkoutWork: LeasedWork;
  }
}

/** How long a node that has a checkout is believed to be alive, in seconds. */
const leaseSeconds = 60;

/** Checkouts that a provider has to be asked about, in turns between organizations. */
export const checkoutWork: LeasedKind = {
  statements: leasedStatements(
    { table: checkouts, id: checkouts.id, lane: checkouts.lane, dueAt: checkouts.dueAt, lease: checkouts.lease },
    leaseSeconds,
  ),
  run: settleCheckout,
  atOnce: 20,
  perLane: 5,
  renewMs: 15_000,
};
