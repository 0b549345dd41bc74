import { afterAll, afterEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { connectAs, hostileWorld } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);
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
  await expect.poll(atWork, { timeout: 20_000 }).toEqual([0]);
});

test('what is begun behind an answer that is too long ends with it', async () => {
  // More than is read of an answer, and less than would be in the way of what follows.
  const { status } = await hostile.send(
    "select repeat('x', 34 * 1024 * 1024); do $$ begin loop perform pg_sleep(1); end loop; end $$",
  );
  expect(status).toBeGreaterThanOrEqual(400);
  await expect.poll(atWork, { timeout: 20_000 }).toEqual([0]);
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
