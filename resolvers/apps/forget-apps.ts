import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { appForks, appVersions } from '../../db/schema/apps.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';
import { goneOfCopies } from '../snapshots/shared/gone-of-copies.ts';
import { giveBack } from './settle-fork.ts';

const batch = 50;

/** Lets go of the schemas of versions that are deleted, or could not be prepared a day ago, unless a fork is made of them now. */
export const forgetVersions: Task = (job) =>
  untilNotFull(job, batch, async () => (await job.ctx.services.db.rows(forgetStatement.with({}))).length);

/** The versions of a project end with it, and so does what is known of it as a fork. */
export async function forgetApps(work: Work, { projectId }: DeletedProject): Promise<void> {
  const ended = await work.rows(endStatement.with({ projectId }));
  const [fork] = await work.rows(forkStatement.with({ id: projectId }));
  if (fork?.status === 'creating' && fork.price > 0n) await giveBack(work, fork.orgId, projectId);
  work.afterCommit(() => {
    for (const { id } of ended) work.services.appVersionWork.abort(id);
    if (fork !== undefined) work.services.appForkWork.abort(projectId);
  });
}

const forgetStatement = statement(
  'apps.forget',
  { row: pick(appVersions, 'id') },
  (_none, row) => sql`with due as (
      select ${appVersions.id} as id from ${appVersions}
      where (${appVersions.deletedAt} is not null
          or (${appVersions.error} is not null and ${isPast(appVersions.updatedAt, '1 day')}))
        and not exists (select from ${appForks} where ${appForks.versionId} = ${appVersions.id}
          and ${appForks.dueAt} is not null)
      limit ${sql.raw(String(batch))} for update skip locked
    ), ${goneOfCopies(sql`select id from due`)}
    delete from ${appVersions} using due where ${appVersions.id} = due.id returning ${row}`,
);

const endStatement = statement(
  'apps.end-with-project',
  { params: pick(appVersions, 'projectId'), row: pick(appVersions, 'id') },
  ({ projectId }, row) =>
    sql`update ${appVersions} ${setOf(appVersions, {
      deletedAt: sql`now()`,
      dueAt: sql`null`,
      updatedAt: sql`now()`,
    })} where ${appVersions.projectId} = ${projectId} and ${appVersions.deletedAt} is null returning ${row}`,
);

// What has failed tells why, until its day is over.
const forkStatement = statement(
  'forks.forget',
  { params: pick(appForks, 'id'), row: pick(appForks, 'orgId', 'status', 'price') },
  ({ id }, row) => sql`delete from ${appForks} where ${appForks.id} = ${id} and ${appForks.status} <> 'failed'
    returning ${row}`,
);
