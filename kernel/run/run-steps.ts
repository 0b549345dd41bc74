import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../core/errors.ts';
import { isConnectionLoss, isTimeout, OutcomeUnknownError } from '../../db/pool.ts';
import { auditRow } from '../durability/audit-log.ts';
import { type IdempotencyLease, outcomeRow, waitMs, waitStepMs } from '../durability/idempotency.ts';
import { unitOfWork } from '../durability/unit-of-work.ts';
import type { Context } from './context.ts';
import type { AnyStepMutation } from './operation.ts';
import type { Run } from './run.ts';
import { attemptsMaxOf, findStep, finishStep, recordStep, releaseStep, type Step, takeStep } from './steps.ts';

/** To begin it, to bring it about, to settle it. */
const stepsOfAll = 3;

/** Begins a step operation, or goes on with the one that an earlier holder of the key began, and brings it to its end. */
export async function runSteps({ op, ctx, caller, scope, input, claim }: Run<AnyStepMutation>): Promise<unknown> {
  const step = (await begunBefore(op, ctx, claim)) ?? (await begin());
  ctx.progress?.({ done: 1, of: stepsOfAll, what: 'Recorded; being brought about' });
  try {
    return await completeStep(op, ctx, step, claim);
  } catch (error) {
    if (error instanceof ServiceError || !(isConnectionLoss(error) || isTimeout(error))) throw error;
    // What was begun is finished or undone behind the scenes, once the database is back.
    throw new OutcomeUnknownError('A step operation was cut short.', { cause: error });
  }

  async function begin(): Promise<Step> {
    const prepared = await op.steps.prepare?.({ ...scope, ...ctx }, input);
    return unitOfWork(ctx, async (work) => {
      const begun = await op.steps.begin({ ...scope, ...work }, input, prepared);
      const { ref, orgId, audit, scope: right = scope } = begun;
      work.last(auditRow(ctx, caller, right, { orgId, ...audit }));
      return recordStep(work, { operation: op.name, orgId, ref }, claim);
    });
  }
}

/** The step that an earlier holder of the key began, taken over; undefined when a new one has to begin. */
async function begunBefore(
  op: AnyStepMutation,
  ctx: Context,
  claim: IdempotencyLease | undefined,
): Promise<Step | undefined> {
  if (claim?.stepId == null) return undefined;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const taken = await takeStep(ctx, claim.stepId, attemptsMaxOf(op.steps));
    if (taken !== undefined) return taken;
    const step = await findStep(ctx, claim.stepId);
    if (step?.state !== 'running') return step?.state === 'done' ? step : undefined;
    // Another process is at it, or it had its attempts and is about to be undone.
    if (performance.now() > deadline || ctx.signal.aborted) {
      throw new ServiceError('IDEMPOTENCY_IN_PROGRESS', { retryAfter: ctx.services.settings.stepLeaseSeconds });
    }
    await sleep(waitStepMs);
  }
}

/** Brings a step to its end: the effect outside, then the row that says so together with the stored outcome. */
export async function completeStep(
  op: AnyStepMutation,
  ctx: Context,
  step: Step,
  claim: IdempotencyLease | undefined,
): Promise<unknown> {
  if (step.state === 'running') {
    try {
      await op.steps.effect(ctx, step.ref);
      ctx.progress?.({ done: 2, of: stepsOfAll, what: 'Brought about; being settled' });
    } catch (error) {
      await releaseStep(ctx, step, error).catch(() => undefined);
      throw op.steps.undo === undefined ? finishedLater(error) : error;
    }
  }
  try {
    return await unitOfWork(ctx, async (work) => {
      const output = await op.steps.settle(work, step.ref);
      if (!(await finishStep(work, step.id, attemptsMaxOf(op.steps)))) throw new GivenUp();
      if (claim !== undefined) work.last(outcomeRow(ctx, claim, { output }));
      return output;
    });
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    // The process that undid it may have been here before our effect.
    await op.steps.undo?.(ctx, step.ref);
    throw new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: 'This took too long and was taken back.',
      mutationState: 'rolled_back',
      retryAfter: 1,
    });
  }
}

/** What cannot be taken back has been done in part, and the rest of it will be, however long that takes. */
const finishedLater = (error: unknown) =>
  new ServiceError('UPSTREAM_UNAVAILABLE', {
    message: 'This is begun, and finished as soon as the server it needs answers.',
    mutationState: 'partial',
    retryAfter: 1,
    cause: error,
  });

/** The step was undone while its effect was still under way here. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
}
