import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { makeEventPartitions } from './event-partitions.ts';
import { withClient } from './with-client.ts';

/** Session lock under which the control database is migrated; any number that nothing else uses. */
const migrationLock = 7_306_001;

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Brings the control database to the newest version, with the partitions that the coming months need. Nodes that start together wait for the one that came first and
 * then find nothing left to do.
 *
 * @returns how many migrations this call applied
 */
export async function migrateControlDatabase(url: string): Promise<number> {
  return withClient(
    url,
    async (client) => {
      await client.query('select pg_advisory_lock($1)', [migrationLock]);
      const before = await applied(client);
      await migrate(drizzle(client), { migrationsFolder });
      await makeEventPartitions(client);
      return (await applied(client)) - before;
    },
    { name: 'migrate' },
  );
}

async function applied(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ known: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations') as known`,
  );
  if (rows[0]?.known == null) return 0;
  const count = await client.query<{ count: number }>(
    'select count(*)::int as count from drizzle.__drizzle_migrations',
  );
  return count.rows[0]!.count;
}
