import { getTableName, sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { pick, statement } from '../../db/sql.ts';
import { batchRows, changeInBatches } from '../../kernel/durability/housekeeping.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';

/** Forgets how busy a project was, and its requests, when it is deleted. */
export async function forgetTraffic(work: Work, project: DeletedProject): Promise<void> {
  for (const erase of eraseStatements) await work.rows(erase.with(project));
}

const eraseStatements = [projectMetrics, projectRequests].map((table) =>
  statement(
    `traffic.erase-${getTableName(table)}`,
    { params: pick(table, 'orgId', 'projectId') },
    ({ orgId, projectId }) =>
      sql`delete from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId}`,
  ),
);

/**
 * Forgets what was written of projects in the moment of their deletion: counts of the last second, or minutes that were
 * being added to their hour. A day later nothing comes any more.
 */
export const forgetLate: Readonly<Record<string, Task>> = Object.fromEntries(
  [projectMetrics, projectRequests].map((table) => [
    `forget ${getTableName(table)}`,
    changeInBatches(
      `forget-late-${getTableName(table)}`,
      sql`delete from ${table} where ctid = any(array(
        select late.ctid from ${projects} cross join lateral (
          select ctid from ${table} where ${table.orgId} = ${projects.orgId} and ${table.projectId} = ${projects.id}
          limit ${sql.raw(String(batchRows))}
        ) late
        where ${projects.deletedAt} > now() - interval '1 day' limit ${sql.raw(String(batchRows))}))`,
    ),
  ]),
);
