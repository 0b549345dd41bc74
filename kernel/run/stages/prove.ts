import { refuseWhileClosed } from '../../access/lifecycle.ts';
import { requireStepUp, requireWriteApproval } from '../../access/step-up.ts';
import { orgOf } from '../operation.ts';
import { isPriced } from '../price.ts';
import type { AnyChange, Run } from '../run.ts';

/** Asks a person's session for a fresh passkey where the operation is as good as a change. @throws STEP_UP_REQUIRED */
export function proveRead({ op, ctx, caller }: Run): void {
  if (op.kind === 'query') requireStepUp(ctx, caller, op.reveals);
}

/** What a change takes besides the right to it: an organization that is open, a fresh passkey, an approval, a nonce. */
export async function proveChange({ op, ctx, caller, scope, input }: Run<AnyChange>): Promise<void> {
  if (op.lifecycle === 'gated') refuseWhileClosed(orgOf(scope));
  requireStepUp(ctx, caller, op.stepUp);
  if (op.writeApproval !== undefined) await requireWriteApproval(ctx, caller, op.writeApproval, input);
  // What is sold spends it once it is paid for: who is asked to pay sends the same signature again.
  if (caller.kind === 'wallet' && !isPriced(op)) await caller.spendNonce();
}
