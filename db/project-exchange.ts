import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { draftName, formerName } from './copy-names.ts';
import { sqlState } from './pool.ts';
import type { ProjectDatabase, ProjectDatabases } from './project-databases.ts';

/** How long what is under way in a database may take to end, in milliseconds, before it is cut off. */
const quietMs = 1_000;
const stepMs = 20;
/** A server ends sessions when they next look: so many times a rename is tried. */
const triesMax = 250;

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const objectInUse = '55006';

/** Which of the databases of a restore there are. */
async function presentOf(client: pg.ClientBase, { databaseName }: Pick<ProjectDatabase, 'databaseName'>) {
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where datname = any($1::text[])',
    [[databaseName, draftName(databaseName), formerName(databaseName)]],
  );
  const names = new Set(rows.map(({ datname }) => datname));
  return {
    own: names.has(databaseName),
    draft: names.has(draftName(databaseName)),
    former: names.has(formerName(databaseName)),
  };
}

/**
 * Puts the draft in the place of a project's database, which is kept under its former name. Safe to repeat: what stopped in
 * between goes on from there. While it lasts, the project has no database that a session could be opened to.
 *
 * @param between done when nobody can write to the former database any more, and nobody yet to the draft
 */
export async function exchangeDatabases(
  databases: ProjectDatabases,
  project: ProjectDatabase,
  between: () => Promise<void>,
): Promise<void> {
  const { databaseName } = project;
  const [own, draft, former] = [databaseName, draftName(databaseName), formerName(databaseName)];
  await databases.alone(project, async (client) => {
    const present = await presentOf(client, project);
    if (present.own && !present.draft) return;
    if (!present.draft) throw new Error(`There is no database ${draft}.`);
    if (present.own) {
      await client.query(`alter database ${quote(own)} allow_connections false`);
      await untilQuiet(client, own);
      await rename(client, own, former, `alter database ${quote(former)} allow_connections true`);
    }
    await between();
    await rename(client, draft, own);
  });
}

/** Whether a project has its database, whatever is beside it. */
export async function isPlaced(databases: ProjectDatabases, project: ProjectDatabase): Promise<boolean> {
  let placed = false;
  await databases.alone(project, async (client) => {
    placed = (await presentOf(client, project)).own;
  });
  return placed;
}

/**
 * Gives a project its former database back, when a restore cannot come to its end, whether or not it has its new one already.
 * Safe to repeat.
 */
export async function takeBackExchange(databases: ProjectDatabases, project: ProjectDatabase): Promise<void> {
  const { databaseName } = project;
  await databases.alone(project, async (client) => {
    const present = await presentOf(client, project);
    if (present.own && present.former && !present.draft) await rename(client, databaseName, draftName(databaseName));
    if (present.former && !(present.own && present.draft)) await rename(client, formerName(databaseName), databaseName);
    await client.query(`alter database ${quote(databaseName)} allow_connections true`);
    await dropOne(client, draftName(databaseName));
  });
}

/** Drops what a restore has replaced or begun, where the project has its database. Safe to repeat. */
export async function dropCopies(databases: ProjectDatabases, project: ProjectDatabase): Promise<void> {
  await databases.alone(project, async (client) => {
    if (!(await presentOf(client, project)).own) return;
    await dropOne(client, draftName(project.databaseName));
    await dropOne(client, formerName(project.databaseName));
  });
}

const dropOne = (client: pg.ClientBase, name: string) =>
  client.query(`drop database if exists ${quote(name)} with (force)`);

/** Waits a moment for what is under way, so that as little as possible is cut off. */
async function untilQuiet(client: pg.ClientBase, name: string): Promise<void> {
  for (const until = performance.now() + quietMs; performance.now() < until; await sleep(stepMs)) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = $1 and backend_type = 'client backend' and state <> 'idle' limit 1`,
      [name],
    );
    if (rowCount === 0) return;
  }
}

/** @param after done in the same transaction */
async function rename(client: pg.ClientBase, from: string, to: string, after?: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from]);
    try {
      // Several statements sent as one are one transaction.
      await client.query([`alter database ${quote(from)} rename to ${quote(to)}`, after ?? ''].join('; '));
      return;
    } catch (error) {
      if (sqlState(error) !== objectInUse || tries === triesMax) throw error;
      await sleep(stepMs);
    }
  }
}
