import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { functionRuns } from '../../../db/schema/function-runs.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { onProjectOf } from '../../../kernel/access/on-project-of.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { functionActions } from '../shared/actions.ts';
import { wakeFor } from './insert-run.ts';
import { runId, soughtRun } from './read-runs.ts';
import { retryInput, retryOf } from './retry.ts';
import { type FunctionRun, findRunStatement, RunHandleWire, runColumns, runToWire } from './run-row.ts';

/** A run after a change, and whether the change did anything. */
interface ChangedRun {
  readonly run: FunctionRun;
  readonly changed: boolean;
}

const onRun = onProjectOf(
  functionActions['project:functions:run'],
  soughtRun,
  ({ run }: { readonly run: string }): string => run,
);

const auditOf =
  (action: string) =>
  ({ run, changed }: ChangedRun, _input: unknown, { project }: ProjectScope) =>
    changed
      ? {
          action,
          object: { kind: 'function_run', id: run.id },
          details: { project_id: project.id, function: run.function },
        }
      : undefined;

/** `POST /functions/v1/runs/:run_id/cancel`. Contract 03, section 3.6. */
export const cancelFunctionRun = mutation({
  name: 'functions.cancelRun',
  tool: 'cancel_function_run',
  command: 'functions runs cancel',
  effects: ['destructive', 'idempotent'],
  summary: 'Cancel a run that has not ended. An attempt that is under way is stopped, as far as it can be.',
  access: onRun,
  input: z.object({ run: runId }),
  async handler(work, { run: id }): Promise<ChangedRun> {
    const [cancelled] = await work.rows(cancelStatement.with({ id }));
    if (cancelled === undefined) return unchanged(await work.rows(findRunStatement.with({ id })), id);
    await wakeFor(work, cancelled);
    work.afterCommit(() => work.services.functionRuns.abort(id));
    return { run: cancelled, changed: true };
  },
  audit: auditOf('function_run.cancelled'),
  wire: RunHandleWire,
  toWire: ({ run }) => runToWire(run),
});

/** `POST /functions/v1/runs/:run_id/redrive`. Contract 03, section 3.6. */
export const redriveFunctionRun = mutation({
  name: 'functions.redriveRun',
  tool: 'redrive_function_run',
  command: 'functions runs redrive',
  effects: ['openWorld'],
  summary: 'Have a run that failed, was cancelled or expired begin again, with all of its attempts.',
  access: onRun,
  lifecycle: 'gated',
  invalidCode: 'invalid_function_run_request',
  input: z.object({ run: runId, retry: retryInput.optional() }),
  async handler(work, { run: id, retry }): Promise<ChangedRun> {
    const [before] = await work.rows(findRunStatement.with({ id }));
    if (before === undefined) throw soughtRun.absent(id);
    const { maxAttempts, minDelaySeconds, maxDelaySeconds } = retry === undefined ? before : retryOf(retry);
    const [redriven] = await work.rows(redriveStatement.with({ id, maxAttempts, minDelaySeconds, maxDelaySeconds }));
    if (redriven === undefined) return unchanged(await work.rows(findRunStatement.with({ id })), id);
    await wakeFor(work, redriven);
    return { run: redriven, changed: true };
  },
  audit: auditOf('function_run.redriven'),
  wire: RunHandleWire,
  toWire: ({ run }) => runToWire(run),
});

/** @throws function_run_not_found */
function unchanged([run]: readonly FunctionRun[], id: string): ChangedRun {
  if (run === undefined) throw soughtRun.absent(id);
  return { run, changed: false };
}

const cancelledError = sql`json_build_object('code', 'FUNCTION_RUN_CANCELLED', 'message', 'The run was cancelled.',
  'retryable', false)::jsonb`;

const cancelStatement = statement(
  'runs.cancel',
  { params: pick(functionRuns, 'id'), row: runColumns },
  ({ id }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      status: sql`'cancelled'`,
      dueAt: sql`null`,
      lease: sql`null`,
      attemptCompletedAt: sql`case when ${functionRuns.status} = 'running' then now() else ${functionRuns.attemptCompletedAt} end`,
      attemptError: sql`case when ${functionRuns.status} = 'running' then ${cancelledError} else ${functionRuns.attemptError} end`,
      lastError: cancelledError,
      updatedAt: sql`now()`,
      completedAt: sql`now()`,
    })} where ${functionRuns.id} = ${id} and ${functionRuns.completedAt} is null returning ${row}`,
);

const redriveStatement = statement(
  'runs.redrive',
  { params: pick(functionRuns, 'id', 'maxAttempts', 'minDelaySeconds', 'maxDelaySeconds'), row: runColumns },
  ({ id, ...retry }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      ...retry,
      status: sql`'queued'`,
      generation: sql`${functionRuns.generation} + 1`,
      attempt: sql`0`,
      expiresAt: sql`null`,
      dueAt: sql`now()`,
      lease: sql`null`,
      updatedAt: sql`now()`,
      completedAt: sql`null`,
    })} where ${functionRuns.id} = ${id} and ${functionRuns.status} in ('failed', 'cancelled', 'expired') returning ${row}`,
);
