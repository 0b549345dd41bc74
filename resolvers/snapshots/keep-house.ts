import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { dropCopies } from '../../db/project-exchange.ts';
import { appForks } from '../../db/schema/apps.ts';
import { archiveImports } from '../../db/schema/archives.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectRestores, projectSnapshots } from '../../db/schema/snapshots.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { goneOfSnapshots } from './shared/gone-of-copies.ts';

const batch = 100;

/** Lets go of what snapshots hold whose time is over. Their rows tell of them for another 30 days. */
export const expireSnapshots: Task = (job) =>
  untilNotFull(job, batch, async () => (await job.ctx.services.db.rows(expireStatement.with({}))).length);

/** Drops databases that a restore has left which did not come to its end, as when its project was deleted meanwhile. */
export const dropLeftDatabases: Task = async ({ ctx }) => {
  const { db, projectDatabases } = ctx.services;
  const besides = await projectDatabases.besides();
  if (besides.length === 0) return;
  const idle = await db.rows(
    idleStatement.with({
      servers: besides.map(({ server }) => server),
      names: besides.map(({ databaseName }) => databaseName),
    }),
  );
  for (const { deleted, ...database } of idle) {
    ctx.signal.throwIfAborted();
    await (deleted ? projectDatabases.drop(database) : dropCopies(projectDatabases, database));
  }
};

/** Snapshots and restores of a project end with it; its databases are dropped by the steps of its deletion. */
export async function forgetCopies(
  work: Work,
  { orgId, projectId }: { readonly orgId: string; readonly projectId: string },
): Promise<void> {
  const owner = { orgId, projectId };
  await work.rows(letGoStatement.with(owner));
  const ended = [
    ...(await work.rows(deleteSnapshotsStatement.with(owner))),
    ...(await work.rows(deleteRestoresStatement.with(owner))),
  ];
  work.afterCommit(() => {
    for (const { id } of ended) work.services.copies.abort(id);
  });
}

const expired = sql`${projectSnapshots.status} = 'ready' and ${isPast(projectSnapshots.expiresAt)}
  and not exists (select from ${projectRestores} where ${projectRestores.projectId} = ${projectSnapshots.projectId}
    and ${projectRestores.dueAt} is not null)
  and not exists (select from ${projectBranches} where ${projectBranches.parentId} = ${projectSnapshots.projectId}
    and ${projectBranches.dueAt} is not null)`;

const expireStatement = statement(
  'snapshots.expire',
  { row: pick(projectSnapshots, 'id') },
  (_none, row) => sql`with due as (
      select ${projectSnapshots.id} as id from ${projectSnapshots} where ${expired}
      order by ${projectSnapshots.expiresAt} limit ${sql.raw(String(batch))} for update skip locked
    ), ${goneOfSnapshots(sql`${projectSnapshots.id} in (select id from due)`)}
    update ${projectSnapshots} ${setOf(projectSnapshots, {
      status: sql`'expired'`,
      sizeBytes: sql`0`,
      updatedAt: sql`now()`,
    })} from due where ${projectSnapshots.id} = due.id returning ${row}`,
);

const idleStatement = statement(
  'restores.left-databases',
  {
    params: { servers: typed<readonly string[]>('text[]'), names: typed<readonly string[]>('text[]') },
    row: {
      ...pick(projects, 'server', 'databaseName', 'roleName'),
      deleted: computed<boolean>('boolean', sql`${projects.state} = 'deleted'`),
    },
  },
  (
    { servers, names },
    row,
  ) => sql`select ${row} from unnest(${servers}::text[], ${names}::text[]) as found (server, name)
    join ${projects} on ${projects.server} = found.server and ${projects.databaseName} = found.name
    where not exists (select from ${projectRestores}
      where ${projectRestores.projectId} = ${projects.id} and ${projectRestores.dueAt} is not null)
      and not exists (select from ${projectBranches}
        where ${projectBranches.id} = ${projects.id} and ${projectBranches.dueAt} is not null)
      and not exists (select from ${appForks} where ${appForks.id} = ${projects.id} and ${appForks.dueAt} is not null)
      and not exists (select from ${archiveImports}
        where ${archiveImports.projectId} = ${projects.id} and ${archiveImports.dueAt} is not null)`,
);

const ofProject = pick(projectSnapshots, 'orgId', 'projectId');
const isOfProject = (given: Readonly<Record<'orgId' | 'projectId', ReturnType<typeof sql>>>) =>
  sql`${projectSnapshots.orgId} = ${given.orgId} and ${projectSnapshots.projectId} = ${given.projectId}`;

const letGoStatement = statement(
  'snapshots.let-go-of-project',
  { params: ofProject },
  (given) => sql`with ${goneOfSnapshots(isOfProject(given))} select`,
);

const deleteSnapshotsStatement = statement(
  'snapshots.forget-project',
  { params: ofProject, row: pick(projectSnapshots, 'id') },
  (given, row) => sql`delete from ${projectSnapshots} where ${isOfProject(given)} returning ${row}`,
);

const deleteRestoresStatement = statement(
  'restores.forget-project',
  { params: pick(projectRestores, 'orgId', 'projectId'), row: pick(projectRestores, 'id') },
  (given, row) => sql`delete from ${projectRestores} where ${projectRestores.orgId} = ${given.orgId}
    and ${projectRestores.projectId} = ${given.projectId} returning ${row}`,
);
