import type { ProjectScope } from '../../access/access.ts';
import { refuseWhileClosed, refuseWhileOffered } from '../../access/lifecycle.ts';
import { requireStepUp, requireWriteApproval } from '../../access/step-up.ts';
import { orgOf } from '../operation.ts';
import { isPriced } from '../price.ts';
import type { Run } from '../run.ts';

/**
 * What a call takes besides the right to it: of what reveals a secret a fresh passkey; of a change an organization that
 * is open, a fresh passkey, an approval, a nonce.
 */
export async function prove(run: Run): Promise<void> {
  const { op, ctx, caller, scope } = run;
  if (op.kind === 'query') return requireStepUp(ctx, caller, op.reveals);
  if (op.lifecycle !== undefined) refuseWhileClosed(orgOf(scope));
  if (op.lifecycle === 'owned') refuseWhileOffered((scope as Partial<ProjectScope>).project);
  requireStepUp(ctx, caller, op.stepUp);
  if (op.writeApproval !== undefined) await requireWriteApproval(ctx, caller, op.writeApproval, run);
  // A priced operation spends the nonce once it is paid for: a caller who is asked to pay sends the same signature again.
  if (caller.kind === 'wallet' && !isPriced(op)) await caller.spendNonce();
}
