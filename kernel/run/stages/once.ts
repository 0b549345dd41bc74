import { ServiceError } from '../../../core/errors.ts';
import { callerKey, holderOf } from '../../access/caller.ts';
import {
  checkKey,
  claimKey,
  type IdempotencyLease,
  inputDigest,
  releaseClaim,
  replay,
  storeOutcome,
} from '../../durability/idempotency.ts';
import type { Context } from '../context.ts';
import { isGatewayPriced, isPriced } from '../price.ts';
import type { AnyChange, Run } from '../run.ts';

/**
 * Makes a change once for an idempotency key: a repeated request gets the outcome that is stored, and one that comes
 * meanwhile waits for it.
 */
export async function once(run: Run<AnyChange>, perform: (run: Run<AnyChange>) => Promise<unknown>): Promise<unknown> {
  const { op, ctx, caller } = run;
  const key = keyOf(run);
  if (key === undefined) {
    if (op.idempotency === 'required') throw new ServiceError('IDEMPOTENCY_KEY_REQUIRED');
    return perform(run);
  }
  const claimed = await claimKey(ctx, {
    scope: callerKey(caller, ctx.request.address),
    operation: op.name,
    key: checkKey(key),
    digest: inputDigest(requestFingerprint(run)),
  }).catch((error: unknown) => {
    throw asItsOwn(op, error);
  });
  if (!('leaseToken' in claimed)) {
    if (caller.kind === 'wallet' && isPriced(op)) await caller.spendNonce();
    const output = replay(claimed);
    return op.complete === undefined ? output : op.complete(ctx, output);
  }
  run.claim = claimed;
  try {
    return await perform(run);
  } catch (error) {
    await settleFailure(ctx, claimed, error);
    throw error;
  }
}

/** A refusal of a key by the code that the operation has for it. */
function asItsOwn({ reusedKeyCode: code }: AnyChange, error: unknown): unknown {
  if (code === undefined || !(error instanceof ServiceError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') return error;
  return new ServiceError(code, { details: error.details, cause: error });
}

/**
 * The key that counts. What is sold to any payer has no principal whose keys could be told from another's: its payment is the
 * key. What is for its holder alone counts none where it could not be told to come from the same one again.
 */
function keyOf({ op, ctx, caller, input }: Run<AnyChange>): string | undefined {
  if (isGatewayPriced(op) || op.idempotency === 'own') return undefined;
  const isAttributable =
    op.credentialBound !== true ||
    holderOf(caller) !== undefined ||
    Object.entries(input).some(([name, value]) => value !== undefined && isSecret(op, name));
  return isAttributable ? ctx.request.idempotencyKey : undefined;
}

const isSecret = ({ input: { shape } }: AnyChange, name: string) => shape[name]?.meta()?.secret === true;

/**
 * What tells a request from others under its key: its input, a password by a keyed digest, since it is soon tried
 * against a plain one; and who sent it, where the outcome is for its sender alone.
 */
function requestFingerprint({ op, ctx, caller, input }: Run<AnyChange>): object {
  const { keys } = ctx.services;
  const told = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' && isSecret(op, name) ? keys.mac('stored-outcomes', value).toString('hex') : value,
    ]),
  );
  return op.credentialBound === true ? { input: told, holder: holderOf(caller) } : told;
}

/** Refusals that end by paying, renewing or making room: the same request is sent again under its key then. */
const retryableCategories: ReadonlySet<string> = new Set(['payment', 'billing', 'lifecycle', 'quota']);
/**
 * A caller who lost the right while the change waited is refused as before the claim of a key; the right may come back. That
 * a person has not decided yet is no outcome at all.
 */
const isRetryableAfterAction = ({ row, code }: ServiceError) =>
  retryableCategories.has(row.category) || code === 'NOT_AUTHORIZED' || code === 'DEVICE_PENDING';

/** A refusal that a repetition cannot heal is the outcome of its key; anything else frees the key for another try. */
async function settleFailure(ctx: Context, claim: IdempotencyLease, error: unknown): Promise<void> {
  const settle =
    error instanceof ServiceError && !error.row.retryable && !isRetryableAfterAction(error)
      ? storeOutcome(ctx, claim, {
          refusal: {
            code: error.code,
            options: {
              message: error.message,
              status: error.status,
              details: error.details,
              nextActions: error.nextActions,
              mutationState: error.mutationState,
              safeToRetry: error.safeToRetry,
              extras: error.extras,
            },
            traceId: ctx.request.traceId,
          },
        })
      : releaseClaim(ctx, claim);
  // The caller gets the first error; a claim that could not be settled expires by itself.
  await settle.catch((failure: unknown) =>
    ctx.services.log.warn({ err: failure }, 'An idempotency claim was left to its lease.'),
  );
}
