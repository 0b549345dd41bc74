import { ServiceError } from '../../core/errors.ts';
import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { stepOperations } from '../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { completeStep } from './run-steps.ts';
import { findStep, reapStepTask, releaseStep, takeStep, undoneAfterAttempts, undoStep } from './steps.ts';
import type { Task } from './task.ts';

/** After so many failed attempts to undo it, a step operation is left to the operator. */
const undoAttemptsMax = 10;
/** How long to leave a step to the process that works on it before looking again, in milliseconds. */
const leasedStepMs = 5_000;
/** Longest pause between two attempts at a step that cannot be undone, in milliseconds. */
const pauseMsMax = 10 * 60_000;

/** Finishes a step operation that no process works on any more; undoes one that keeps failing, if it can be undone. */
export const reapStep: Task = async ({ ctx, operations, addJob, log }, payload) => {
  const { stepId } = payload as { stepId: string };
  const lookAgain = (ms: number) =>
    addJob(reapStepTask, { stepId }, { key: stepId, runAt: new Date(ctx.services.now().getTime() + ms) });
  const step = await takeStep(ctx, stepId, null);
  if (step === undefined) {
    const left = await findStep(ctx, stepId);
    if (left?.state === 'running') await lookAgain(leasedStepMs);
    return;
  }
  const op = operations.get(step.operation);
  if (op?.kind === 'mutation' && 'steps' in op && op.steps.undo === undefined) {
    try {
      await completeStep(op, ctx, step, undefined);
    } catch (error) {
      const pauseMs = Math.min(1_000 * 2 ** Math.min(step.attempts, 20), pauseMsMax);
      const { operation, attempts } = step;
      log.warn({ err: causeOf(error), stepId, operation, attempts, pauseMs }, 'A step operation is tried again later.');
      // By a job of its own: the queue would give this one up in the end.
      await lookAgain(pauseMs);
      await releaseStep(ctx, step, causeOf(error));
    }
    return;
  }
  try {
    if (op?.kind !== 'mutation' || !('steps' in op)) throw new Error(`No step operation is named ${step.operation}.`);
    if (step.attempts <= undoneAfterAttempts) await completeStep(op, ctx, step, undefined);
    else await undoStep(ctx, step, op.steps.undo!);
  } catch (error) {
    if (step.attempts >= undoneAfterAttempts + undoAttemptsMax) {
      log.error(
        { err: error, stepId, operation: step.operation },
        'A step operation can be neither finished nor undone.',
      );
      await ctx.services.db.rows(stuckStatement.with({ id: stepId, lastError: safeMessage(error) }));
      return;
    }
    // The next attempt need not wait for the lease.
    await releaseStep(ctx, step, error);
    throw error;
  }
};

/** The cause of the failure, rather than the refusal that a caller would have got. */
const causeOf = (error: unknown) => (error instanceof ServiceError ? (error.cause ?? error) : error);

const stuckStatement = statement(
  'steps.stuck',
  { params: pick(stepOperations, 'id', 'lastError') },
  ({ id, lastError }) => sql`update ${stepOperations} ${setOf(stepOperations, { state: sql`'stuck'`, lastError })}
    where ${stepOperations.id} = ${id} and ${stepOperations.state} = 'running'`,
);
