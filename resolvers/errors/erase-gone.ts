import type { Statement } from '../../db/pool.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { ReportedProject } from './reported.ts';

/** Rows deleted by one statement. */
const batchRows = 1_000;

/** Has all that is known of a deleted project’s failures erased, by housekeeping: nobody can ask for it any more. */
export async function forgetErrors(work: Work, { orgId, projectId }: ReportedProject): Promise<void> {
  await work.rows(markStatement, [orgId, projectId]);
}

/** Erases the failures of deleted projects, once whatever was being reported when they were deleted is written. */
export async function eraseGone(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (const { orgId, projectId } of await db.rows<ReportedProject>(goneStatement, [])) {
    for (const statement of eraseStatements) {
      let erased: number;
      do {
        ctx.signal.throwIfAborted();
        erased = (await db.rows(statement, [orgId, projectId, batchRows])).length;
      } while (erased === batchRows);
    }
    // Last, since it is what tells that there is something to erase.
    await db.rows(forgottenStatement, [orgId, projectId]);
  }
}

const markStatement: Statement = {
  name: 'errors.mark-gone',
  text: `insert into error_projects (org_id, project_id, gone_at) values ($1, $2, now())
    on conflict (org_id, project_id) do update set gone_at = excluded.gone_at`,
};

const goneStatement: Statement = {
  name: 'errors.gone',
  text: `select org_id as "orgId", project_id as "projectId" from error_projects
    where gone_at < now() - interval '1 minute' order by gone_at`,
};

const eraseStatements: readonly Statement[] = [
  'error_counts',
  'error_fingerprints',
  'error_releases',
  'release_activations',
  'function_invocations',
].map((table) => ({
  name: `errors.erase-${table}`,
  text: `delete from ${table} where ctid = any(array(
      select ctid from ${table} where org_id = $1 and project_id = $2 limit $3)) returning 1`,
}));

const forgottenStatement: Statement = {
  name: 'errors.forgotten',
  text: 'delete from error_projects where org_id = $1 and project_id = $2',
};
