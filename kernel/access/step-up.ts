import { invalidField, ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { writeApprovals } from '../../db/schema/identity.ts';
import { computed, type RowOf, setOf, statement } from '../../db/sql.ts';
import type { Context } from '../run/context.ts';
import type { StepUpClass, WriteApproval } from '../run/operation.ts';
import type { ProjectScope } from './access.ts';
import type { Caller, SessionCaller } from './caller.ts';

/** How long a passkey proof counts as fresh, in seconds. Contract 01, section 1.11. */
export const stepUpMaxAgeSeconds = 300;

const stepUpPath = '/agent/v1/control-plane/step-up/options';

/** Asks a person's session for a passkey proof of the last five minutes. A wallet signature is fresh by nature. */
export function requireStepUp(ctx: Context, caller: Caller, opClass: StepUpClass | undefined): void {
  if (opClass === undefined || caller.kind !== 'control_plane' || isFresh(caller)) return;
  throw stale(ctx, caller, opClass, {
    path: stepUpPath,
    why: 'Confirm with a passkey, then send the request again.',
  });
}

const isFresh = ({ amrTimes: { passkey: provenAt }, askedAt }: SessionCaller): boolean =>
  provenAt !== undefined && askedAt - provenAt <= stepUpMaxAgeSeconds;

const stale = (
  { services, request }: Context,
  { amrTimes }: SessionCaller,
  opClass: StepUpClass,
  { path, why }: { readonly path: string; readonly why: string },
) =>
  new ServiceError('STEP_UP_REQUIRED', {
    details: {
      op_class: opClass,
      required_amr: ['passkey'],
      max_age_seconds: stepUpMaxAgeSeconds,
      challenge_url: `${services.settings.publicBaseUrl ?? request.baseUrl}${path}`,
      reason: amrTimes.passkey === undefined ? 'missing' : 'stale',
    },
    nextActions: [{ type: 'authenticate', method: 'POST', path, why }],
  });

/** The refusal for a session of a device, whatever was proven where it was approved. */
export const deviceForbidden = (opClass: string) =>
  new ServiceError('STEP_UP_REQUIRED', {
    message: 'This takes a session that began with a passkey in a browser.',
    details: {
      op_class: opClass,
      required_amr: ['passkey'],
      max_age_seconds: stepUpMaxAgeSeconds,
      reason: 'device_flow_forbidden',
    },
    nextActions: [
      { type: 'authenticate', command: 'svc operator login --loopback', why: 'Sign in by a browser with a passkey.' },
    ],
  });

const operatorPasskeyPath = '/agent/v1/operator/session/passkey/options';

/**
 * As {@link requireStepUp}, of sessions that read, too: those have no way to step up, and sign in anew by a passkey.
 *
 * @throws STEP_UP_REQUIRED
 */
export function requireFreshProof(ctx: Context, caller: Caller, opClass: StepUpClass): void {
  requireStepUp(ctx, caller, opClass);
  if (caller.kind !== 'operator') return;
  if (caller.provenance === 'device') throw deviceForbidden(opClass);
  if (isFresh(caller)) return;
  throw stale(ctx, caller, opClass, {
    path: operatorPasskeyPath,
    why: 'Sign in by a passkey, then send the request again with that session.',
  });
}

/** Asks a person's session for the approval of exactly this action on this target. Contract 01, section 1.10. */
export async function requireWriteApproval<Input>(
  ctx: Context,
  caller: Caller,
  approval: WriteApproval<Input>,
  { input, scope }: { readonly input: Input; readonly scope: unknown },
): Promise<void> {
  if (caller.kind !== 'control_plane') return;
  const target = approval.target(input, scope as Partial<ProjectScope>);
  if (target === undefined) {
    throw invalidField(approval.field, 'a session has to name it');
  }
  const token = ctx.request.writeApproval;
  if (token === undefined) throw approvalRequired(approval, target);
  const row = await useApproval(ctx, token, caller, approval, target);
  if (row?.live !== true) {
    throw new ServiceError('WRITE_AUTH_SESSION_INVALID', { nextActions: [approveAction(approval, target)] });
  }
  if (!row.binds) {
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
  const target = approval.target(input, undefined);
  const roleTooLow =
    refusal instanceof ServiceError && refusal.code === 'NOT_AUTHORIZED' && refusal.details.reason === 'forbidden';
  if (!roleTooLow || caller.kind !== 'control_plane' || token === undefined || target === undefined) return refusal;
  const row = await useApproval(ctx, token, caller, approval, target);
  return row?.live === true && row.binds
    ? new ServiceError('ABOVE_WRITE_AUTH_CEILING', { details: refusal.details })
    : refusal;
}

async function useApproval<Input>(
  ctx: Context,
  token: string,
  caller: SessionCaller,
  { action }: WriteApproval<Input>,
  target: string,
): Promise<RowOf<typeof approval> | undefined> {
  const given = { token: sha256Hex(token), session: caller.sessionId, action, target };
  const [row] = await ctx.services.db.rows(approvalStatement.with(given));
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
    type: 'operator_approve',
    command: `svc operator approve --action ${action} ${flag} ${target}`,
    why: 'Approve this one action with a passkey, then send the request again with X-Svc-Write-Auth.',
  };
}

const approval = {
  live: computed<boolean>('boolean', sql`live`),
  /** Whether it is for this action and target, and of this session. */
  binds: computed<boolean>('boolean', sql`binds`),
};

// An approval that is used for its purpose does not idle out, so finding and touching it is one statement.
const approvalStatement = statement(
  'approvals.use',
  {
    params: {
      token: writeApprovals.tokenHash,
      session: writeApprovals.sessionId,
      action: writeApprovals.action,
      target: writeApprovals.targetId,
    },
    row: approval,
  },
  ({ token, session, action, target }, row) => sql`with found as (
      select ${writeApprovals.id}, ${writeApprovals.sessionId} = ${session} and ${writeApprovals.action} = ${action}
          and ${writeApprovals.targetId} = ${target} as binds,
        ${writeApprovals.revokedAt} is null and ${writeApprovals.absoluteExpiresAt} > now()
          and ${writeApprovals.lastUsedAt} > now() - interval '30 minutes' as live
      from ${writeApprovals} where ${writeApprovals.tokenHash} = ${token}
    ), touched as (
      update ${writeApprovals} ${setOf(writeApprovals, { lastUsedAt: sql`now()` })} from found
      where ${writeApprovals.id} = found.id and found.live and found.binds
    )
    select ${row} from found`,
);
