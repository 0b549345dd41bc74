import { afterAll, expect, test } from 'vitest';
import { withClient } from '../../db/with-client.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
afterAll(() => postgres.stop());

test.each([
  ['a statement', 'select pg_sleep(600)'],
  ['its idleness', undefined],
])('a session that Postgres ends during %s is an error of that session alone', async (_case, busyWith) => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', note);
  const ended = withClient(url, async (client) => {
    const { pid } = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
    const busy = busyWith === undefined ? undefined : client.query(busyWith);
    const gone = new Promise((resolve) => client.once('end', resolve));
    await Promise.all([busy, postgres.admin.query('select pg_terminate_backend($1)', [pid]), gone]);
    await client.query('select 1');
  });
  await expect(ended).rejects.toThrow(/terminating connection|Client has encountered|not queryable/);
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
  const way = await startPgProxy(url);
  way.stall();
  await expect(withClient(way.url, (client) => client.query('select 1'), { connectMs: 50 })).rejects.toThrow(/timeout/);
  await way.close();
});
