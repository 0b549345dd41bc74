import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { functionMailTriggers } from '../../db/schema/function-mail-triggers.ts';
import { functionRuns } from '../../db/schema/function-runs.ts';
import { functionSchedules } from '../../db/schema/function-schedules.ts';
import { functionBuilds, functionLogs, releaseFunctions } from '../../db/schema/functions.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onMailFact } from '../mailboxes/shared/mail-facts.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { functionErrors } from './error-codes.ts';
import { getFunctionLogs } from './get-function-logs.ts';
import { getFunctionMetrics } from './get-function-metrics.ts';
import { invokeFunction } from './invoke-function.ts';
import { listFunctions } from './list-functions.ts';
import { openFunctionLogs } from './open-function-logs.ts';
import { cancelFunctionRun, redriveFunctionRun } from './runs/change-run.ts';
import { createFunctionRun } from './runs/create-run.ts';
import { fireMailTriggers } from './runs/fire-mail-triggers.ts';
import { fireSchedules } from './runs/fire-schedules.ts';
import { wakeRunsTask } from './runs/insert-run.ts';
import { getFunctionRun, getFunctionRunLogs, listFunctionRuns, openFunctionRun } from './runs/read-runs.ts';
import { runFunctionTrigger } from './runs/run-trigger.ts';
import { functionActions } from './shared/actions.ts';
import { fireSchedulesTask } from './shared/replace-schedules.ts';

// What a project ran, and what that printed, ends with it.
onProjectDeletion(async (work, project) => {
  for (const forget of forgetStatements) await work.rows(forget.with(project));
});

onMailFact(fireMailTriggers);

export const functions = domain('functions', {
  errors: functionErrors,
  actions: functionActions,
  operations: [
    listFunctions,
    invokeFunction,
    getFunctionLogs,
    openFunctionLogs,
    getFunctionMetrics,
    createFunctionRun,
    listFunctionRuns,
    getFunctionRun,
    getFunctionRunLogs,
    cancelFunctionRun,
    redriveFunctionRun,
    openFunctionRun,
    runFunctionTrigger,
  ],
  jobs: [
    { task: wakeRunsTask, run: async ({ ctx }) => ctx.services.functionRuns.wake() },
    { task: fireSchedulesTask, run: fireSchedules, everyMinutes: 1 },
  ],
  expires: [
    { table: functionLogs, when: isPast(functionLogs.at, '14 days') },
    { table: functionRuns, when: isPast(functionRuns.completedAt, '30 days') },
  ],
});

const tables = [
  functionMailTriggers,
  functionSchedules,
  functionRuns,
  functionLogs,
  releaseFunctions,
  functionBuilds,
] as const;

const forgetStatements = tables.map((table, at) =>
  statement(
    `functions.forget-${at}`,
    { params: pick(functionBuilds, 'orgId', 'projectId') },
    ({ orgId, projectId }) =>
      sql`delete from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId}`,
  ),
);
