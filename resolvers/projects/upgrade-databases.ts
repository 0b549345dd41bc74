import type { Statement } from '../../db/pool.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { templateVersion } from '../../db/project-template.ts';
import type { Task } from '../task.ts';

/** The job that brings every project database to the template's version, also those that nobody opens. */
export const upgradeDatabasesTask = 'upgrade_databases';

/** Databases that one run begins with; then other jobs have their turn. */
const batch = 10;
/** How long a database is left to the node that began with it, in minutes; and to itself, when it could not be done. */
const leftMinutes = 10;

interface DueRow {
  readonly server: string;
  readonly database_name: string;
  readonly role_name: string;
}

/**
 * Brings some databases to the newest version, and has itself run again while there are more. What was done is written
 * database by database, so whatever stops it, it goes on from there; one that fails is tried again later and holds up
 * no others.
 */
export const upgradeDatabases: Task = async ({ ctx, addJob, log }) => {
  const { db, projectDatabases } = ctx.services;
  const due = await db.rows<DueRow>(claimStatement, [templateVersion, batch, leftMinutes]);
  await Promise.all(
    due.map(async ({ server, database_name: databaseName, role_name: roleName }) => {
      const database: ProjectDatabase = { server, databaseName, roleName };
      try {
        await projectDatabases.upgrade(database, { unhurried: true });
        await db.rows(doneStatement, [databaseName, templateVersion]);
      } catch (error) {
        log.warn(
          { err: error, database: databaseName },
          'A project database could not be brought to the newest version.',
        );
      }
    }),
  );
  if (due.length === batch) await addJob(upgradeDatabasesTask, {}, { key: upgradeDatabasesTask, runAt: new Date() });
};

const left = (alias: string) => `${alias}.tried_at < now() - make_interval(mins => $3)`;

// Nodes that look at the same moment wait for each other's rows, and find them taken.
const claimStatement: Statement = {
  name: 'projects.databases-due',
  text: `with due as (
      select p.server, p.database_name, p.role_name
      from projects p left join project_template_versions v using (database_name)
      where p.state = 'ready' and p.deleted_at is null
        and (v.database_name is null or (v.version < $1 and ${left('v')}))
      order by p.database_name limit $2
    ), claimed as (
      insert into project_template_versions as v (database_name, version, tried_at)
      select database_name, 0, now() from due
      on conflict (database_name) do update set tried_at = now() where ${left('v')}
      returning v.database_name
    )
    select due.* from due join claimed using (database_name)`,
};

const doneStatement: Statement = {
  name: 'projects.database-upgraded',
  text: 'update project_template_versions set version = greatest(version, $2) where database_name = $1',
};
