import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { withClient } from '../../db/with-client.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { wayToPostgres } from './fixtures/way-to-postgres.ts';

const postgres = await startOwnPostgres();
const { name, url } = await postgres.database();
afterAll(() => postgres.stop());

test('a session that Postgres ends while the tables are made is one error, and none that nobody catches', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', note);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('select pg_advisory_lock(7306001)');
  const refused = expect(migrateControlDatabase(url)).rejects.toMatchObject({ code: '57P01' });
  await vi.waitFor(
    async () => {
      const { rowCount } = await postgres.admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and wait_event = 'advisory'`,
        [name],
      );
      expect(rowCount).toBe(1);
    },
    { timeout: 30_000 },
  );
  await refused;
  await holder.end();
  // The end of the connection itself arrives after its last message.
  for (let turn = 0; turn < 20; turn++) await postgres.admin.query('select 1');
  process.off('uncaughtException', note);
  expect(uncaught).toEqual([]);
});

test('a lock that nobody gives back is not waited for without end', async () => {
  await withClient(url, async (holder) => {
    await holder.query('select pg_advisory_lock(1)');
    const waiting = withClient(url, (client) => client.query('select pg_advisory_lock(1)'), { lockMs: 50 });
    await expect(waiting).rejects.toMatchObject({ code: '55P03' });
  });
});

test('a server that does not answer is not waited for without end', async () => {
  const way = await wayToPostgres(url);
  way.stall();
  await expect(withClient(way.url, (client) => client.query('select 1'), { connectMs: 50 })).rejects.toThrow(/timeout/);
  await way.close();
});
