import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { archiveImports, projectArchives } from '../../db/schema/archives.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';
import { goneOfCopies } from '../snapshots/shared/gone-of-copies.ts';

const batch = 100;

/** Lets go of the bytes of archives whose time is over. Their rows tell of them for another 30 days. */
export const expireArchives: Task = (job) =>
  untilNotFull(job, batch, async () => (await job.ctx.services.db.rows(expireStatement.with({}))).length);

/** Archives of a project end with it. What an import was made of tells of it where it has failed. */
export async function forgetArchives(work: Work, { projectId }: DeletedProject): Promise<void> {
  await work.rows(letGoStatement.with({ projectId }));
  const ended = await work.rows(deleteStatement.with({ projectId }));
  const imports = await work.rows(endImportStatement.with({ projectId }));
  work.afterCommit(() => {
    for (const { id } of ended) work.services.projectArchiveWork.abort(id);
    for (const { id } of imports) work.services.archiveImportWork.abort(id);
  });
}

const expireStatement = statement(
  'archives.expire',
  { row: pick(projectArchives, 'id') },
  (_none, row) => sql`with due as (
      select ${projectArchives.id} as id from ${projectArchives}
      where ${projectArchives.status} = 'ready' and ${isPast(projectArchives.expiresAt)}
      order by ${projectArchives.expiresAt} limit ${sql.raw(String(batch))} for update skip locked
    ), ${goneOfCopies(sql`select id from due`)}
    update ${projectArchives} ${setOf(projectArchives, { status: sql`'expired'`, updatedAt: sql`now()` })}
    from due where ${projectArchives.id} = due.id returning ${row}`,
);

const letGoStatement = statement(
  'archives.let-go-of-project',
  { params: pick(projectArchives, 'projectId') },
  ({ projectId }) =>
    sql`with ${goneOfCopies(sql`select ${projectArchives.id} from ${projectArchives}
      where ${projectArchives.projectId} = ${projectId}
      union all select ${archiveImports.id} from ${archiveImports} where ${archiveImports.projectId} = ${projectId}`)} select`,
);

const deleteStatement = statement(
  'archives.forget-project',
  { params: pick(projectArchives, 'projectId'), row: pick(projectArchives, 'id') },
  ({ projectId }, row) => sql`delete from ${projectArchives}
    where ${projectArchives.projectId} = ${projectId} returning ${row}`,
);

const endImportStatement = statement(
  'archive-imports.end-with-project',
  { params: pick(archiveImports, 'projectId'), row: pick(archiveImports, 'id') },
  ({ projectId }, row) => sql`delete from ${archiveImports}
    where ${archiveImports.projectId} = ${projectId} and ${archiveImports.status} <> 'failed' returning ${row}`,
);
