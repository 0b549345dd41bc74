import { getTableName, sql } from '../../db/drizzle.ts';
import {
  errorCounts,
  errorFingerprints,
  errorProjects,
  errorReleases,
  functionInvocations,
  releaseActivations,
} from '../../db/schema/errors.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { ReportedProject } from './reported.ts';

/** Rows deleted by one statement. */
const batchRows = 1_000;

/** Has all that is known of a deleted project’s failures erased, by housekeeping: nobody can ask for it any more. */
export async function forgetErrors(work: Work, { orgId, projectId }: ReportedProject): Promise<void> {
  await work.rows(markStatement.with({ orgId, projectId }));
}

/** Erases the failures of deleted projects, once whatever was being reported when they were deleted is written. */
export async function eraseGone(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (const { orgId, projectId } of await db.rows(goneStatement.with({}))) {
    for (const erasing of eraseStatements) {
      let erased: number;
      do {
        ctx.signal.throwIfAborted();
        erased = (await db.rows(erasing.with({ orgId, projectId, limit: batchRows }))).length;
      } while (erased === batchRows);
    }
    // Last, since it is what tells that there is something to erase.
    await db.rows(forgottenStatement.with({ orgId, projectId }));
  }
}

const projectKey = pick(errorProjects, 'orgId', 'projectId');

const markStatement = statement(
  'errors.mark-gone',
  { params: projectKey },
  (given) =>
    sql`${insertInto(errorProjects, { ...given, goneAt: sql`now()` })}
    on conflict (${namesOf(errorProjects.orgId, errorProjects.projectId)})
      do update ${setOf(errorProjects, { goneAt: excluded(errorProjects.goneAt) })}`,
);

const goneStatement = statement(
  'errors.gone',
  { row: projectKey },
  (_none, row) => sql`select ${row} from ${errorProjects}
    where ${errorProjects.goneAt} < now() - interval '1 minute' order by ${errorProjects.goneAt}`,
);

const eraseStatements = [errorCounts, errorFingerprints, errorReleases, releaseActivations, functionInvocations].map(
  (table) =>
    statement(
      `errors.erase-${getTableName(table)}`,
      {
        params: { ...projectKey, limit: typed<number>('bigint') },
        row: { erased: computed<number>('integer', sql`1`) },
      },
      ({ orgId, projectId, limit }, row) => sql`delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId} limit ${limit}))
      returning ${row}`,
    ),
);

const forgottenStatement = statement(
  'errors.forgotten',
  { params: projectKey },
  ({ orgId, projectId }) => sql`delete from ${errorProjects}
    where ${errorProjects.orgId} = ${orgId} and ${errorProjects.projectId} = ${projectId}`,
);
