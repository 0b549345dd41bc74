import { ServiceError } from '../../../core/errors.ts';
import type { RunError, RunStatus } from '../../../db/schema/function-runs.ts';
import { headersForFunction } from '../../../engines/functions/call-headers.ts';
import { refuseWhileClosed } from '../../../kernel/access/lifecycle.ts';
import { findProjectTarget } from '../../../kernel/access/project-target.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { originOfGateway } from '../../projects/shared/project-hosts.ts';
import type { CalledFunction } from '../function-host.ts';
import { type AttemptOutcome, outcomeOfRefusal, outcomeOfReply, runError } from './attempt-outcome.ts';
import {
  beginStatement,
  blockStatement,
  endStatement,
  putOffStatement,
  type TakenRun,
  takenStatement,
} from './attempt-statements.ts';
import { wakeFor } from './insert-run.ts';
import { retryDelay } from './retry.ts';
import { type FunctionRun, runChanged } from './run-row.ts';

/** A run in the hands of this node. */
interface Taken {
  readonly ctx: Context;
  readonly item: LeasedItem;
  readonly run: TakenRun;
}

/**
 * Does what a run waits for: an attempt, or its end. Each write names the lease, so that a node that was taken over changes
 * nothing. Contract 03, section 3.6.
 */
export async function executeRun(ctx: Context, item: LeasedItem): Promise<void> {
  const [run] = await ctx.services.db.rows(takenStatement.with({ id: item.id, lease: item.lease }));
  if (run === undefined) return;
  const taken: Taken = { ctx, item, run };
  if (run.status === 'running' && run.attempt >= run.maxAttempts) return end(taken, 'failed', leaseExpired(false));
  if (run.isExpired)
    return end(taken, 'expired', runError('FUNCTION_RUN_EXPIRED', 'The run expired before it succeeded.', false));
  let called: CalledFunction;
  try {
    called = await calledBy(ctx, run);
  } catch (error) {
    return conclude(taken, outcomeOfRefusal(error), undefined);
  }
  const attemptId = ctx.services.newId('fnatt');
  const begun = await begin(taken, attemptId);
  if (begun === undefined) return;
  const outcome = await attempt(taken, begun, called);
  // Whoever stops this node, or cancels the run, is no fault of the function.
  const isStopped = ctx.signal.aborted && outcome.kind === 'failed';
  await conclude(taken, isStopped ? { kind: 'put_off', seconds: 0 } : outcome, begun);
}

const leaseExpired = (retryable: boolean): RunError =>
  runError('FUNCTION_RUN_LEASE_EXPIRED', 'The node that ran the attempt did not tell of its end.', retryable);

/** What a run calls. @throws what it has to wait for */
async function calledBy({ services }: Context, { projectId, function: name }: TakenRun): Promise<CalledFunction> {
  const target = await findProjectTarget(services, projectId);
  refuseWhileClosed(target);
  const site = await services.sites.live(projectId);
  const fn = site?.functions.get(name);
  if (site == null || fn === undefined) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
  return {
    orgId: target.orgId,
    projectId,
    createdAt: target.createdAt,
    transferredAt: target.transferredAt,
    releaseId: site.releaseId,
    name,
    timeoutSeconds: fn.timeoutSeconds,
    memoryMb: fn.memoryMb,
  };
}

/** @returns undefined when the run was lost meanwhile */
async function begin({ ctx, item: { id, lease }, run }: Taken, attemptId: string): Promise<FunctionRun | undefined> {
  const lastError = run.status === 'running' ? JSON.stringify(leaseExpired(true)) : null;
  return unitOfWork(ctx, async (work) => {
    const [begun] = await work.rows(beginStatement.with({ id, lease, attemptId, lastError }));
    if (begun !== undefined) work.append(runChanged(begun));
    return begun;
  });
}

/** Calls the function. Gates are not asked: the platform calls it. */
async function attempt({ ctx, run }: Taken, begun: FunctionRun, called: CalledFunction): Promise<AttemptOutcome> {
  const { services } = ctx;
  const { attemptId, attempt: number, maxAttempts: max } = begun;
  const body = {
    trigger: 'function_run',
    run_id: run.id,
    generation: run.generation,
    event_type: run.eventType,
    idempotency_key: run.idempotencyKey,
    run_at: run.runAt.toISOString(),
    attempt: { attempt_id: attemptId, number, max },
    source: run.source,
    payload: run.payload,
  };
  try {
    const reply = await services.functions.call(called, {
      requestId: run.id,
      method: 'POST',
      url: `${originOfGateway(services)}/functions/v1/${called.name}`,
      headers: headersForFunction(['content-type', 'application/json'], {
        'x-svc-trigger': 'function_run',
        'x-svc-run-id': run.id,
        'x-svc-request-id': run.id,
        'x-svc-attempt-id': attemptId!,
        'x-svc-idempotency-key': run.idempotencyKey,
        'x-svc-project-id': called.projectId,
        'x-svc-release-id': called.releaseId,
        'x-svc-function-name': called.name,
        'x-svc-route-pattern': `function_run:${called.name}`,
      }),
      body: Buffer.from(JSON.stringify(body)),
      signal: ctx.signal,
    });
    return outcomeOfReply(reply, services.now());
  } catch (error) {
    const outcome = outcomeOfRefusal(error);
    if (outcome.kind === 'failed' && outcome.status === null && !ctx.signal.aborted)
      services.log.warn({ err: error, run_id: run.id }, 'A run could not be attempted.');
    return outcome;
  }
}

/** Writes what an attempt came to. @param begun undefined where none was begun */
async function conclude(taken: Taken, outcome: AttemptOutcome, begun: FunctionRun | undefined): Promise<void> {
  const { ctx, item, run } = taken;
  const held = { id: item.id, lease: item.lease };
  const counted = begun === undefined ? 0 : 1;
  switch (outcome.kind) {
    case 'succeeded':
      return end(taken, 'succeeded', null, { attemptStatus: outcome.status });
    case 'put_off':
      return write(ctx, putOffStatement.with({ ...held, begun: counted, seconds: outcome.seconds }));
    case 'blocked':
      return unitOfWork(ctx, async (work) => {
        const lastError = JSON.stringify(outcome.error);
        const [blocked] = await work.rows(blockStatement.with({ ...held, lastError, begun: counted }));
        // It is looked at again every minute: followers are told once.
        if (blocked !== undefined && run.status !== 'blocked') work.append(runChanged(blocked));
      });
    default: {
      const number = begun?.attempt ?? run.attempt;
      const { error, status, retryAfter } = outcome;
      const isLast = !error.retryable || number >= run.maxAttempts;
      // What the platform could not even begin is tried again without an attempt.
      if (begun === undefined)
        return write(ctx, putOffStatement.with({ ...held, begun: 0, seconds: run.minDelaySeconds }));
      const seconds = isLast ? null : retryDelay(run, number, retryAfter);
      return end(taken, isLast ? 'failed' : 'retrying', error, { attemptStatus: status, seconds });
    }
  }
}

const end = (
  { ctx, item }: Taken,
  status: RunStatus,
  error: RunError | null,
  {
    attemptStatus = null,
    seconds = null,
  }: { readonly attemptStatus?: number | null; readonly seconds?: number | null } = {},
): Promise<void> =>
  write(
    ctx,
    endStatement.with({
      id: item.id,
      lease: item.lease,
      status,
      attemptStatus,
      attemptError: error === null ? null : JSON.stringify(error),
      seconds,
    }),
  );

/** Writes how a run stands, and has it looked at when it is due. Nothing is written of a run that was lost. */
const write = (ctx: Context, bound: ReturnType<typeof endStatement.with>): Promise<void> =>
  unitOfWork(ctx, async (work) => {
    const [run] = await work.rows(bound);
    if (run !== undefined) await wakeFor(work, run);
  });
