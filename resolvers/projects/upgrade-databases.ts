import { alias, sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { templateVersion } from '../../db/project-template.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Task } from '../../kernel/run/task.ts';
import { isProject, projectKey } from './shared/load-projects.ts';

/** The job that brings every project database to the template's version, also those that nobody opens. */
export const upgradeDatabasesTask = 'upgrade_databases';

/** Databases that one run begins with; then other jobs have their turn. */
const batch = 10;
/** How long a database is left to the node that began with it, in minutes; and to itself, when it could not be done. */
const leftMinutes = 10;

/**
 * Brings some databases to the newest version, and has itself run again while there are more. What was done is written
 * database by database, so whatever stops it, it goes on from there; one that fails is tried again later and holds up
 * no others.
 */
export const upgradeDatabases: Task = async ({ ctx, addJob, log }) => {
  const { db, projectDatabases } = ctx.services;
  const due = await db.rows(claimStatement.with({ version: templateVersion, batch, leftMinutes }));
  await Promise.all(
    due.map(async ({ orgId, id, server, databaseName, roleName }) => {
      const database: ProjectDatabase = { server, databaseName, roleName };
      try {
        await projectDatabases.upgrade(database, { unhurried: true });
        await db.rows(doneStatement.with({ orgId, id, templateVersion }));
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
const claimStatement = statement(
  'projects.databases-due',
  {
    params: {
      version: projects.templateVersion,
      batch: typed<number>('bigint'),
      leftMinutes: typed<number>('integer'),
    },
    row: pick(projects, 'orgId', 'id', 'server', 'databaseName', 'roleName'),
  },
  (given, row) => {
    const due = alias(projects, 'due');
    return sql`update ${projects} ${setOf(projects, { templateTriedAt: sql`now()` })} from (
        select ${projects.orgId}, ${projects.id} from ${projects}
        where ${projects.state} = 'ready' and ${projects.deletedAt} is null and ${projects.templateVersion} < ${given.version}
          and (${projects.templateTriedAt} is null
            or ${projects.templateTriedAt} < now() - make_interval(mins => ${given.leftMinutes}))
        order by ${projects.templateVersion}, ${projects.id} limit ${given.batch} for update skip locked
      ) ${due}
      where ${projects.orgId} = ${due.orgId} and ${projects.id} = ${due.id}
      returning ${row}`;
  },
);

const doneStatement = statement(
  'projects.database-upgraded',
  { params: { ...projectKey, templateVersion: projects.templateVersion } },
  ({ templateVersion: version, ...key }) =>
    sql`update ${projects} ${setOf(projects, {
      templateVersion: sql`greatest(${projects.templateVersion}, ${version})`,
    })} where ${isProject(key)}`,
);
