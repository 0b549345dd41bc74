import { ServiceError } from '../core/errors.ts';
import { sha256Hex } from '../core/keys.ts';
import type { Statement } from '../db/pool.ts';
import type { Caller, SessionCaller } from './caller.ts';
import type { Context } from './context.ts';
import type { StepUpClass, WriteApproval } from './operation.ts';

/** How long a passkey proof counts as fresh, in seconds. Contract 01, section 1.11. */
export const stepUpMaxAgeSeconds = 300;

const stepUpPath = '/agent/v1/control-plane/step-up/options';

/** Asks a person's session for a passkey proof of the last five minutes. A wallet signature is fresh by nature. */
export function requireStepUp(ctx: Context, caller: Caller, opClass: StepUpClass | undefined): void {
  if (opClass === undefined || caller.kind !== 'control_plane') return;
  const provenAt = caller.amrTimes.passkey;
  const now = ctx.services.now().getTime() / 1000;
  if (provenAt !== undefined && now - provenAt <= stepUpMaxAgeSeconds) return;
  throw new ServiceError('STEP_UP_REQUIRED', {
    details: {
      op_class: opClass,
      required_amr: ['passkey'],
      max_age_seconds: stepUpMaxAgeSeconds,
      challenge_url: `${ctx.request.baseUrl}${stepUpPath}`,
      reason: provenAt === undefined ? 'missing' : 'stale',
    },
    nextActions: [
      {
        type: 'authenticate',
        method: 'POST',
        path: stepUpPath,
        why: 'Confirm with a passkey, then send the request again.',
      },
    ],
  });
}

interface ApprovalRow {
  readonly session_id: string;
  readonly action: string;
  readonly target_id: string;
  readonly live: boolean;
}

/** Asks a person's session for the approval of exactly this action on this target. Contract 01, section 1.10. */
export async function requireWriteApproval<Input>(
  ctx: Context,
  caller: Caller,
  approval: WriteApproval<Input>,
  input: Input,
): Promise<void> {
  if (caller.kind !== 'control_plane') return;
  const target = approval.target(input);
  if (target === undefined) {
    throw new ServiceError('VALIDATION_FAILED', {
      message: `${approval.field}: a session has to name it`,
      details: { field: approval.field, reason: 'a session has to name it' },
    });
  }
  const token = ctx.request.writeApproval;
  if (token === undefined) throw approvalRequired(approval, target);
  const row = await findApproval(ctx, token);
  if (row?.live !== true)
    throw new ServiceError('WRITE_AUTH_SESSION_INVALID', { nextActions: [approveAction(approval, target)] });
  if (!binds(row, caller, approval, target)) {
    throw new ServiceError('WRITE_AUTH_BINDING_MISMATCH', { nextActions: [approveAction(approval, target)] });
  }
}

/**
 * What a refused role becomes when the session does hold the right approval: it says that approving again would not
 * help. Strangers learn nothing by it, since only a member whose role is too low gets here.
 */
export async function aboveCeiling<Input>(
  ctx: Context,
  caller: Caller,
  approval: WriteApproval<Input>,
  input: Input,
  refusal: unknown,
): Promise<unknown> {
  const token = ctx.request.writeApproval;
  const target = approval.target(input);
  const roleTooLow =
    refusal instanceof ServiceError && refusal.code === 'NOT_AUTHORIZED' && refusal.details.reason === 'forbidden';
  if (!roleTooLow || caller.kind !== 'control_plane' || token === undefined || target === undefined) return refusal;
  const row = await findApproval(ctx, token);
  return row?.live === true && binds(row, caller, approval, target)
    ? new ServiceError('ABOVE_WRITE_AUTH_CEILING', { details: refusal.details })
    : refusal;
}

const binds = <Input>(row: ApprovalRow, caller: SessionCaller, { action }: WriteApproval<Input>, target: string) =>
  row.session_id === caller.sessionId && row.action === action && row.target_id === target;

async function findApproval(ctx: Context, token: string): Promise<ApprovalRow | undefined> {
  const [row] = await ctx.services.db.rows<ApprovalRow>(approvalStatement, [sha256Hex(token)]);
  return row;
}

function approvalRequired<Input>(approval: WriteApproval<Input>, target: string): ServiceError {
  return new ServiceError('WRITE_AUTH_REQUIRED', {
    details: { action: approval.action, [approval.field]: target },
    nextActions: [approveAction(approval, target)],
  });
}

function approveAction<Input>({ action, field }: WriteApproval<Input>, target: string) {
  const flag = field === 'org_id' ? '--org' : '--project';
  return {
    type: 'authenticate',
    command: `svc operator approve --action ${action} ${flag} ${target}`,
    why: 'Approve this one action with a passkey, then send the request again with X-Svc-Write-Auth.',
  };
}

// Using an approval keeps it from idling out, so finding and touching it is one statement.
const approvalStatement: Statement = {
  name: 'approvals.use',
  text: `with found as (
      select id, session_id, action, target_id,
        revoked_at is null and absolute_expires_at > now() and last_used_at > now() - interval '30 minutes' as live
      from write_approvals where token_hash = $1
    ), touched as (
      update write_approvals w set last_used_at = now() from found where w.id = found.id and found.live
    )
    select session_id, action, target_id, live from found`,
};
