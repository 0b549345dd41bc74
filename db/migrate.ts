import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { makeEventPartitions } from './event-partitions.ts';
import { withClient } from './with-client.ts';

/** Session lock under which the control database is migrated; any number that nothing else uses. */
const migrationLock = 7_306_001;

const ownMigrations = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * The last version with the migrations that the first file of `db/migrations` sums up. That file carries the moment of the last of
 * them, so a database that has them all has this file too.
 */
const upgradeThrough = 'commit 3cacc3c of the gateway';

/** The control database is of a version that this one cannot serve: too old to be upgraded, or newer. */
export class DatabaseVersionError extends Error {
  override readonly name = 'DatabaseVersionError';
}

/**
 * Brings the control database to the newest version, with the partitions that the coming months need. Nodes that start together wait for the one that came first and
 * then find nothing left to do.
 *
 * @returns how many migrations this call applied
 * @throws DatabaseVersionError, and changes nothing, when the database lacks migrations that this version no longer has, or has
 * some that this version does not know
 */
export async function migrateControlDatabase(url: string, migrationsFolder = ownMigrations): Promise<number> {
  return withClient(
    url,
    async (client) => {
      await client.query('select pg_advisory_lock($1)', [migrationLock]);
      const { count: before, newest } = await applied(client);
      const known = readMigrationFiles({ migrationsFolder });
      if (newest !== null && newest > known.at(-1)!.folderMillis) {
        throw new DatabaseVersionError(
          'This control database was migrated by a newer version of the gateway: start that version, or restore a backup that was made before the upgrade.',
        );
      }
      if (newest !== null && newest < known[0]!.folderMillis) {
        throw new DatabaseVersionError(
          `This control database is too old for this version: make a backup, start ${upgradeThrough} on it once, then start this version again.`,
        );
      }
      await migrate(drizzle(client), { migrationsFolder });
      await makeEventPartitions(client);
      return (await applied(client)).count - before;
    },
    { name: 'migrate' },
  );
}

interface Applied {
  readonly count: number;
  /** The moment that the newest of them carries; null when there is none. */
  readonly newest: number | null;
}

async function applied(client: pg.Client): Promise<Applied> {
  const { rows } = await client.query<{ known: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations') as known`,
  );
  if (rows[0]?.known == null) return { count: 0, newest: null };
  const found = await client.query<Applied>(
    'select count(*)::int as count, max(created_at)::float8 as newest from drizzle.__drizzle_migrations',
  );
  return found.rows[0]!;
}
