import type { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { traced } from '../../core/tracing.ts';
import { inTransaction, isCollision, isConnectionLoss, isTimeout, OutcomeUnknownError } from '../../db/pool.ts';
import type { Ahead } from '../access/access.ts';
import { type Caller, callerKey, holderOf } from '../access/caller.ts';
import { refuseWhileClosed } from '../access/lifecycle.ts';
import { aboveCeiling, requireStepUp, requireWriteApproval } from '../access/step-up.ts';
import { auditRow, writeAudit } from '../durability/audit.ts';
import {
  bindStep,
  type Claim,
  checkKey,
  claimKey,
  inputDigest,
  outcomeRow,
  releaseClaim,
  replay,
  storeOutcome,
} from '../durability/idempotency.ts';
import { Outdated, unitOfWork } from '../durability/unit-of-work.ts';
import { chargeBudget } from '../limits/budgets.ts';
import { limitsOf, outsideRate } from '../limits/limits.ts';
import { refuseHurry } from '../limits/rate-limit.ts';
import type { Context } from './context.ts';
import { concerning } from './correlation.ts';
import {
  type AnyMutation,
  type AnyProjectMutation,
  type AnyStepMutation,
  type Operation,
  orgOf,
  projectOf,
} from './operation.ts';
import { parseInput, type Spelling } from './parse-input.ts';
import { type AnyPrice, isGatewayPriced, isPriced } from './price.ts';
import { runSteps } from './run-steps.ts';

/**
 * The only road from a surface to a handler: parse, authorise, limit, and for a change claim its idempotency key, run
 * it in one transaction with its audit row, and publish what it wrote.
 *
 * @param raw the input as it arrived; the operation's schema is its only judge
 * @param spelling what the surface calls the operation's inputs
 * @throws ServiceError for every refusal; anything else is a fault of ours and is masked by the surfaces
 */
export async function execute<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  raw: z.input<Input>,
  spelling: Spelling = (name) => name,
): Promise<Output> {
  const startedAt = performance.now();
  let code = 'OK';
  let addressed: string | undefined;
  try {
    return await traced(op.name, {}, async () => {
      if (op.kind === 'mutation' && isGatewayPriced(op))
        await ctx.services.payments.askGatewayPrice(op.price, ctx, raw);
      const input = parseInput(op, raw, spelling);
      addressed = op.access.addressed?.(input);
      return await run(op, ctx, input, (scope) => {
        addressed ??= projectOf(scope);
      });
    });
  } catch (error) {
    const refusal = asRefusal(error, ctx.request.idempotencyKey);
    code = refusal instanceof ServiceError ? refusal.code : 'INTERNAL_ERROR';
    throw concerning(refusal, addressed);
  } finally {
    ctx.services.observe(op.name, code, (performance.now() - startedAt) / 1000);
  }
}

async function run<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  input: z.output<Input>,
  admitted: (scope: Scope) => void,
): Promise<Output> {
  let ahead: Ahead | undefined;
  const { lookAhead, refusalOf } = op.access;
  const asked = ctx.caller(
    lookAhead &&
      ((principalId) => {
        // Who was refused too often is not looked up again.
        if (ctx.services.rateLimiter.peek(`refused:${principalId}`, outsideRate) === 0) {
          ahead = lookAhead(ctx, principalId, input);
        }
      }),
  );
  const credited = await (refusalOf === undefined
    ? asked
    : asked.catch((refusal: unknown) => {
        throw refusalOf(refusal, input) ?? refusal;
      }));
  const caller = credited.kind === 'nobody' ? await ctx.services.payments.payerOf(op, ctx, input) : credited;
  if (caller !== credited) ctx = { ...ctx, caller: async () => caller };
  const acts = op.kind === 'mutation' ? op.forReaders !== true : op.reveals !== undefined;
  if (acts) refuseReaders(caller);
  const scope = await authorise(op, ctx, caller, input, ahead);
  admitted(scope);
  const budget = caller.kind === 'admin' ? undefined : op.budget?.(input);
  if (budget !== undefined) chargeBudget(ctx, budget);
  if (op.kind === 'query') {
    requireStepUp(ctx, caller, op.reveals);
    return await op.handler({ ...ctx, ...scope }, input);
  }
  if (op.lifecycle === 'gated') refuseWhileClosed(orgOf(scope));
  requireStepUp(ctx, caller, op.stepUp);
  if (op.writeApproval !== undefined) await requireWriteApproval(ctx, caller, op.writeApproval, input);
  // What is sold spends it once it is paid for: who is asked to pay sends the same signature again.
  if (caller.kind === 'wallet' && !isPriced(op)) await caller.spendNonce();
  return (await change(op, ctx, caller, scope as object, input)) as Output;
}

function refuseReaders(caller: Caller): void {
  if (caller.kind === 'operator') {
    throw new ServiceError('FORBIDDEN', {
      message: 'An operator session only reads.',
      details: { credential: 'operator' },
    });
  }
}

/**
 * Admits the caller and takes from its rate. Limits belong to the organization, so they are known only once it is;
 * refusals and calls outside any organization have a small allowance of their own.
 */
async function authorise<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  caller: Caller,
  input: z.output<Input>,
  ahead: Ahead | undefined,
): Promise<Scope> {
  const { rateLimiter } = ctx.services;
  // An IPv6 client has more addresses than there are buckets.
  const network = networkOf(ctx.request.address);
  const who = callerKey(caller, network);
  // Many clients share a project's key: one that is refused does not hold up the others.
  const refused = `refused:${who}${caller.kind === 'project_key' ? `:${network}` : ''}`;
  const pays = caller.kind !== 'admin' && ctx.causedByOthers === undefined;
  // Who was refused too often is not looked up again.
  if (pays) refuseHurry(rateLimiter.peek(refused, outsideRate));
  let scope: Scope;
  try {
    scope = await op.access.authorise(ctx, caller, input, ahead);
  } catch (error) {
    if (error instanceof ServiceError && ctx.causedByOthers === undefined)
      refuseHurry(rateLimiter.take(refused, outsideRate));
    throw op.kind === 'mutation' && op.writeApproval !== undefined
      ? await aboveCeiling(ctx, caller, op.writeApproval, input, error)
      : error;
  }
  const org = orgOf(scope);
  if (org === undefined) {
    if (pays) refuseHurry(rateLimiter.take(`outside:${who}`, outsideRate));
    return scope;
  }
  if (ctx.causedByOthers === true) return scope;
  const limits = limitsOf(org);
  const rate =
    op.kind === 'query'
      ? { perSecond: limits.readsPerSecond, burst: limits.readsBurst }
      : { perSecond: limits.writesPerSecond, burst: limits.writesBurst };
  refuseHurry(rateLimiter.take(`${op.kind}:${org.id}:${who}`, rate));
  ctx.admitted?.();
  return scope;
}

type AnyChange = AnyMutation | AnyProjectMutation | AnyStepMutation;

async function change(op: AnyChange, ctx: Context, caller: Caller, scope: object, input: unknown): Promise<unknown> {
  // What is sold to whoever pays has nobody whose keys could be told from another's: its payment is the key.
  const key = isGatewayPriced(op) || !isToldApart(op, caller, input as object) ? undefined : ctx.request.idempotencyKey;
  if (key === undefined) {
    if (op.idempotency === 'required') throw new ServiceError('IDEMPOTENCY_KEY_REQUIRED');
    return perform(op, ctx, caller, scope, input, undefined);
  }
  const claimed = await claimKey(ctx, {
    scope: callerKey(caller, ctx.request.address),
    operation: op.name,
    key: checkKey(key),
    digest: inputDigest(toldApart(ctx, op, caller, input as object)),
  });
  if (!('leaseToken' in claimed)) {
    if (caller.kind === 'wallet' && isPriced(op)) await caller.spendNonce();
    const output = replay(claimed);
    return op.complete === undefined ? output : op.complete(ctx, output);
  }
  try {
    return await perform(op, ctx, caller, scope, input, claimed);
  } catch (error) {
    await settleFailure(ctx, claimed, error);
    throw error;
  }
}

const isSecret = ({ input: { shape } }: AnyChange, name: string) => shape[name]?.meta()?.secret === true;

/** Whether what is for its holder alone can be told to come from the same one again. */
const isToldApart = (op: AnyChange, caller: Caller, input: object): boolean =>
  op.forHolder !== true ||
  holderOf(caller) !== undefined ||
  Object.entries(input).some(([name, value]) => value !== undefined && isSecret(op, name));

/**
 * What tells a request from others under its key: its input, a password by a keyed digest, since it is soon tried
 * against a plain one; and who sent it, where the outcome is for nobody else.
 */
function toldApart({ services: { keys } }: Context, op: AnyChange, caller: Caller, input: object): object {
  const told = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' && isSecret(op, name) ? keys.mac('stored-outcomes', value).toString('hex') : value,
    ]),
  );
  return op.forHolder === true ? { input: told, holder: holderOf(caller) } : told;
}

/** Refusals that end by paying, renewing or making room: the same request is sent again under its key then. */
const healing: ReadonlySet<string> = new Set(['payment', 'billing', 'lifecycle', 'quota']);
/**
 * Who lost the right while the change waited is refused as at the door, where no key is claimed; it may come back. That
 * a person has not decided yet is no outcome at all.
 */
const heals = ({ row, code }: ServiceError) =>
  healing.has(row.category) || code === 'NOT_AUTHORIZED' || code === 'DEVICE_PENDING';

/** A refusal that a repetition cannot heal is the outcome of its key; anything else frees the key for another try. */
async function settleFailure(ctx: Context, claim: Claim, error: unknown): Promise<void> {
  const settle =
    error instanceof ServiceError && !error.row.retryable && !heals(error)
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
  // The caller is told what went wrong first; a claim that could not be settled runs out by itself.
  await settle.catch((failure: unknown) =>
    ctx.services.log.warn({ err: failure }, 'An idempotency claim was left to its lease.'),
  );
}

function perform(op: AnyChange, ctx: Context, caller: Caller, scope: object, input: unknown, claim: Claim | undefined) {
  if ('steps' in op) return runSteps(op, ctx, caller, scope, input, claim);
  if ('attempt' in op) return runInProject(op, ctx, caller, scope, input, claim);
  if (op.price !== undefined) return runPriced(op, op.price, ctx, caller, scope, input, claim);
  return runOnce(op, ctx, caller, scope, input, claim);
}

async function runInProject(
  op: AnyProjectMutation,
  ctx: Context,
  caller: Caller,
  scope: object,
  input: unknown,
  claim: Claim | undefined,
) {
  const { pool } = ctx.services.db;
  const entry = op.attempt(input, scope);
  const runId = claim === undefined ? undefined : (claim.stepId ?? ctx.services.newId('run'));
  await inTransaction(pool, async (client) => {
    await writeAudit(client, ctx, caller, scope, entry);
    if (claim?.stepId === null) await bindStep(client, claim, runId!);
  });
  const output = await op.handler({ ...ctx, ...scope, runId }, input);
  if (claim !== undefined) await storeOutcome(ctx, claim, { output });
  return output;
}

async function runPriced(
  op: AnyMutation,
  price: AnyPrice,
  ctx: Context,
  caller: Caller,
  scope: object,
  input: unknown,
  claim: Claim | undefined,
) {
  const { openSale } = ctx.services.payments;
  const carryOut = await openSale(op, price, ctx, caller, scope, input);
  if (caller.kind === 'wallet') await caller.spendNonce();
  if (carryOut !== undefined) return carryOut(claim);
  return runOnce(op, ctx, caller, scope, input, claim).catch(async (refusal: unknown) => {
    // What covered it a moment ago no longer does: then the price is asked after all.
    if (refusal instanceof ServiceError && refusal.code === 'PAYMENT_REQUIRED')
      await openSale(op, price, ctx, caller, scope, input);
    throw refusal;
  });
}

async function runOnce(
  op: AnyMutation,
  ctx: Context,
  caller: Caller,
  scope: object,
  input: unknown,
  claim: Claim | undefined,
) {
  const prepared = await op.prepare?.({ ...ctx, ...scope }, input);
  return unitOfWork(ctx, async (work) => {
    const output = await op.handler({ ...scope, ...work }, input, prepared);
    const entry = op.audit(output, input, scope);
    if (entry !== undefined) work.last(auditRow(ctx, caller, scope, entry));
    if (claim !== undefined) work.last(outcomeRow(ctx, claim, { output }));
    return output;
  });
}

/**
 * A database that cannot be reached, took too long or had others in the way, is a refusal that a later try may heal. Everything else stays
 * what it is.
 *
 * @param key the request's idempotency key: with one, repeating a change that may have been made is safe
 */
export function asRefusal(error: unknown, key?: string): unknown {
  if (isCollision(error) || error instanceof Outdated) {
    return new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: 'Others were changing the same things; nothing of this was kept.',
      details: { dependency: 'database', reason: 'collision' },
      mutationState: 'rolled_back',
      retryAfter: 1,
      cause: error,
    });
  }
  const tookTooLong = isTimeout(error);
  if (error instanceof ServiceError || !(tookTooLong || isConnectionLoss(error))) return error;
  const unknown = error instanceof OutcomeUnknownError;
  return new ServiceError('UPSTREAM_UNAVAILABLE', {
    message: tookTooLong ? 'The database took too long to answer.' : 'The database is not reachable right now.',
    details: { dependency: 'database' },
    retryAfter: 1,
    ...(unknown ? { mutationState: 'unknown', safeToRetry: key !== undefined } : {}),
    cause: error,
  });
}
