import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { connectAs, hostileWorld } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbour, neighbourIsWell } = await hostileWorld(service);
afterEach(neighbourIsWell);

/** What the server does for the project now. */
const atWork = async () =>
  (
    await service.control.sql<{ n: string }>(
      "select count(*) as n from pg_stat_activity where usename = $1 and state <> 'idle'",
      [hostile.roleName],
    )
  ).map(({ n }) => Number(n));

/** Asks, and goes away once the server is at work. */
async function leave(sql: string, path = `${hostile.base}/sql`): Promise<void> {
  const gone = new AbortController();
  const asked = fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${hostile.serviceKey}`, 'content-type': 'text/plain' },
    body: sql,
    signal: gone.signal,
  });
  const refused = expect(asked).rejects.toThrow();
  await expect.poll(atWork).toEqual([1]);
  gone.abort();
  await refused;
}

test.each([
  'begin perform pg_sleep(1000); exception when query_canceled then null; end',
  'begin loop perform 1; end loop; exception when query_canceled then null; end',
])('a loop that catches its cancellation is ended with its connection: %s', async (step) => {
  await leave(`do $$ begin loop ${step}; end loop; end $$`);
  await expect.poll(atWork).toEqual([0]);
});

test('what is begun behind an answer that is too long ends with it', async () => {
  // More than is read of an answer, and less than would be in the way of what follows.
  const { status } = await hostile.send(
    "select repeat('x', 34 * 1024 * 1024); do $$ begin loop perform pg_sleep(1); end loop; end $$",
  );
  expect(status).toBeGreaterThanOrEqual(400);
  await expect.poll(atWork).toEqual([0]);
});

test('a number that a process of another database has by now ends nothing there', async () => {
  const client = await connectAs(hostile.loginUrl);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { projectDatabases } = service.app.services;
  const [{ server }] = (await service.control.sql('select server from projects where id = $1', [
    hostile.projectId,
  ])) as [{ server: string }];
  // As if it were the login that serves every project.
  const there = { server, roleName: hostile.roleName, databaseName: neighbour.databaseName };
  await projectDatabases.endBackend(there, rows[0]!.pid);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  const ended = new Promise((resolve) => client.once('end', resolve));
  await projectDatabases.endBackend({ ...there, databaseName: hostile.databaseName }, rows[0]!.pid);
  await ended;
});

test('what a gateway that was killed has left running is ended by another', async () => {
  const left = await connectAs(hostile.loginUrl);
  const ended = new Promise((resolve) => left.once('end', resolve));
  await left.query('begin');
  await service.app.services.projectDatabases.endAbandoned();
  expect(await atWork()).toEqual([1]);
  await service.app.services.projectDatabases.endAbandoned(0);
  await ended;
  expect(await atWork()).toEqual([0]);
});

test('a restore of another installation may take its time on the same server', async () => {
  const draft = `restoring_${hostile.databaseName}`;
  await service.control.sql(`create database ${draft}`);
  onTestFinished(async () => void (await service.control.sql(`drop database ${draft} with (force)`)));
  const url = new URL(hostile.loginUrl);
  url.pathname = `/${draft}`;
  const restoring = await connectAs(url.href);
  await restoring.query('begin');
  await service.app.services.projectDatabases.endAbandoned(0);
  expect((await restoring.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
