import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { managedJobs } from '../../db/schema/jobs.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import type { Job } from './job-row.ts';
import { getJob } from './read-jobs.ts';

/** Those of some jobs that the caller may see. */
export async function loadJobs(ctx: Context, ids: readonly string[]): Promise<Job[]> {
  const known = await ctx.services.db.rows(projectsStatement.with({ ids }));
  const found = await Promise.all(
    known.map(async ({ id, projectId: project }) => {
      try {
        return [await execute(getJob, ctx, { project, job: id })];
      } catch (error) {
        // What may not be seen is not there.
        if (error instanceof ServiceError && (error.status === 403 || error.status === 404)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

const projectsStatement = statement(
  'jobs.projects-of',
  { params: { ids: typed<readonly string[]>('text[]') }, row: pick(managedJobs, 'id', 'projectId') },
  ({ ids }, row) => sql`select ${row} from ${managedJobs} where ${managedJobs.id} = any(${ids}::text[])`,
);
