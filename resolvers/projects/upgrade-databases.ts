import type { Statement } from '../../db/pool.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { templateVersion } from '../../db/project-template.ts';
import type { Task } from '../../kernel/run/task.ts';

/** The job that brings every project database to the template's version, also those that nobody opens. */
export const upgradeDatabasesTask = 'upgrade_databases';

/** Databases that one run begins with; then other jobs have their turn. */
const batch = 10;
/** How long a database is left to the node that began with it, in minutes; and to itself, when it could not be done. */
const leftMinutes = 10;

interface DueRow {
  readonly org_id: string;
  readonly id: string;
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
    due.map(async ({ org_id, id, server, database_name: databaseName, role_name: roleName }) => {
      const database: ProjectDatabase = { server, databaseName, roleName };
      try {
        await projectDatabases.upgrade(database, { unhurried: true });
        await db.rows(doneStatement, [org_id, id, templateVersion]);
      } catch (error) {
        log.warn(
          { err: error, database: databaseName },
          'A project database could not be brought to the newest version.',
        );
      }
    }),
  );
  if (due.length === batch)
    await addJob(upgradeDatabasesTask, {}, { key: upgradeDatabasesTask, runAt: ctx.services.now() });
};

// Nodes that look at the same moment pass over each other's rows.
const claimStatement: Statement = {
  name: 'projects.databases-due',
  text: `update projects p set template_tried_at = now() from (
      select org_id, id from projects
      where state = 'ready' and deleted_at is null and template_version < $1
        and (template_tried_at is null or template_tried_at < now() - make_interval(mins => $3))
      order by template_version, id limit $2 for update skip locked
    ) due
    where p.org_id = due.org_id and p.id = due.id
    returning p.org_id, p.id, p.server, p.database_name, p.role_name`,
};

const doneStatement: Statement = {
  name: 'projects.database-upgraded',
  text: 'update projects set template_version = greatest(template_version, $3) where org_id = $1 and id = $2',
};
