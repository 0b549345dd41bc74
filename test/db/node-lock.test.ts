import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { acquireNodeLock, type NodeLockOptions } from '../../db/node-lock.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

const postgres = await startOwnPostgres();
afterAll(() => postgres.stop());

const messages: string[] = [];
const log: NodeLockOptions['log'] = {
  info: (_facts, message) => void messages.push(message),
  error: (_facts, message) => void messages.push(message),
};
const alone = (url: string, waitMs = 50) => acquireNodeLock({ url, shared: false, log, waitMs });
const among = (url: string, waitMs = 50) => acquireNodeLock({ url, shared: true, log, waitMs });

test('a second node without NATS_URL is refused in one sentence, and admitted once the first is gone', async () => {
  const { url } = await postgres.database();
  const first = await alone(url);
  expect(first.alone).toBe(true);
  await expect(alone(url)).rejects.toThrow(/^Another gateway serves this database; .*NATS_URL.*\.$/);
  await first.release();
  await first.release();
  expect(first.held()).toBe(false);
  await (await alone(url)).release();
});

test('nodes with NATS_URL serve together and exclude one without', async () => {
  const { url } = await postgres.database();
  const nodes = await Promise.all([among(url), among(url), among(url)]);
  expect(nodes.map((node) => node.alone)).toEqual([false, false, false]);
  await expect(alone(url)).rejects.toThrow(/Another gateway serves this database/);
  for (const node of nodes) await node.release();
  const single = await alone(url);
  await expect(among(url)).rejects.toThrow(/^A gateway without NATS_URL serves this database; .+\.$/);
  await single.release();
});

test('a node waits for the one that is draining', async () => {
  const { url } = await postgres.database();
  const draining = await alone(url);
  const next = alone(url, 30_000);
  await until(async () => {
    const waiting = await postgres.admin.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`);
    expect(waiting.rowCount).toBe(1);
  });
  await draining.release();
  expect((await next).held()).toBe(true);
  await (await next).release();
});

test('two databases of one server do not exclude each other', async () => {
  const locks = [await alone((await postgres.database()).url), await alone((await postgres.database()).url)];
  expect(locks.map((lock) => lock.held())).toEqual([true, true]);
  for (const lock of locks) await lock.release();
});

const breakConnections = (database: string) =>
  postgres.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);

test('a lock whose connection broke is taken again', async () => {
  const { name, url } = await postgres.database();
  const lock = await alone(url);
  await breakConnections(name);
  await until(() => expect(messages).toContain('This node holds its lock again.'));
  expect(lock.held()).toBe(true);
  await expect(alone(url)).rejects.toThrow(/Another gateway/);
  await lock.release();
});

test('a node that finds its place taken after an outage says so and takes it when it is free', async () => {
  const { name, url } = await postgres.database();
  const lock = await alone(url);
  messages.length = 0;
  // Waits in line for the lock, so that it comes first when the node loses it.
  const usurper = new pg.Client({ connectionString: url });
  await usurper.connect();
  const waiting = usurper.query('select pg_advisory_lock(7306004)');
  await postgres.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'svc-gateway node'`,
    [name],
  );
  await waiting;
  await until(() => expect(messages.join()).toMatch(/Another gateway serves this database/));
  expect(lock.held()).toBe(false);
  await usurper.end();
  await until(() => expect(lock.held()).toBe(true));
  await lock.release();
});

test('a node that stops during an outage does not come back', async () => {
  const { name, url } = await postgres.database();
  const lock = await alone(url);
  await postgres.admin.query(`alter database ${name} allow_connections false`);
  await breakConnections(name);
  await until(() => expect(lock.held()).toBe(false));
  await lock.release();
  await postgres.admin.query(`alter database ${name} allow_connections true`);
  await (await alone(url)).release();
});
