import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { functionBuilds, functionLogs, releaseFunctions } from '../../db/schema/functions.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { functionErrors } from './error-codes.ts';
import { getFunctionLogs } from './get-function-logs.ts';
import { listFunctions } from './list-functions.ts';
import { openFunctionLogs } from './open-function-logs.ts';
import { functionActions } from './shared/actions.ts';

// What a project ran, and what that printed, ends with it.
onProjectDeletion(async (work, project) => {
  for (const forget of forgetStatements) await work.rows(forget.with(project));
});

export const functions = domain('functions', {
  errors: functionErrors,
  actions: functionActions,
  operations: [listFunctions, getFunctionLogs, openFunctionLogs],
  expires: [{ table: functionLogs, when: isPast(functionLogs.at, '14 days') }],
});

const tables = [functionLogs, releaseFunctions, functionBuilds] as const;

const forgetStatements = tables.map((table, at) =>
  statement(
    `functions.forget-${at}`,
    { params: pick(functionBuilds, 'orgId', 'projectId') },
    ({ orgId, projectId }) =>
      sql`delete from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId}`,
  ),
);
