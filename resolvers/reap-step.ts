import { safeMessage } from '../core/safe-message.ts';
import type { Statement } from '../db/pool.ts';
import { completeStep } from './run-steps.ts';
import { findStep, reapStepTask, releaseStep, stepAttemptsMax, takeStep, undoStep } from './steps.ts';
import type { Task } from './task.ts';

/** After so many failed attempts to undo it, a step operation is left to the operator. */
const undoAttemptsMax = 10;
/** How long to leave a step to the process that works on it before looking again, in milliseconds. */
const leasedStepMs = 5_000;

/** Finishes a step operation that nobody works on any more; undoes one that keeps failing. */
export const reapStep: Task = async ({ ctx, operations, addJob, log }, payload) => {
  const { stepId } = payload as { stepId: string };
  const step = await takeStep(ctx, stepId);
  if (step === undefined) {
    const left = await findStep(ctx, stepId);
    if (left?.state !== 'running') return;
    await addJob(reapStepTask, { stepId }, { key: stepId, runAt: new Date(Date.now() + leasedStepMs) });
    return;
  }
  try {
    const op = operations.get(step.operation);
    if (op?.kind !== 'mutation' || !('steps' in op)) throw new Error(`No step operation is named ${step.operation}.`);
    if (step.attempts <= stepAttemptsMax) await completeStep(op, ctx, step, undefined);
    else await undoStep(ctx, step, op.steps);
  } catch (error) {
    if (step.attempts >= stepAttemptsMax + undoAttemptsMax) {
      log.error(
        { err: error, stepId, operation: step.operation },
        'A step operation can be neither finished nor undone.',
      );
      await ctx.services.db.rows(stuckStatement, [stepId, safeMessage(error)]);
      return;
    }
    // The next attempt need not wait for the lease.
    await releaseStep(ctx, step, error);
    throw error;
  }
};

const stuckStatement: Statement = {
  name: 'steps.stuck',
  text: `update step_operations set state = 'stuck', last_error = $2 where id = $1 and state = 'running'`,
};
