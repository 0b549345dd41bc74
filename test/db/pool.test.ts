import type pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { inTransaction, isConnectionLoss, isTimeout, openDatabase, type PoolOptions } from '../../db/pool.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
afterAll(() => postgres.stop());

function open(options: Partial<PoolOptions> = {}) {
  const db = openDatabase({ url, max: 1, ...options });
  onTestFinished(() => db.close());
  return db;
}
async function openWay() {
  const way = await startPgProxy(url);
  onTestFinished(() => way.close());
  return way;
}
const pidStatement = { name: 'test.pid', text: 'select pg_backend_pid() as pid' };
const sleepStatement = { name: 'test.sleep', text: 'select pg_sleep(600)' };
const refusalOf = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => error,
  );

test('the time limit of statements is in force, and no pooler is asked to know it', async () => {
  const way = await openWay();
  const db = open({ url: way.url, statementMs: 1234 });
  expect((await db.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '1234ms' }]);
  // What PgBouncer lets pass without being told to.
  const known = ['user', 'database', 'application_name', 'client_encoding'];
  expect([...way.startups[0]!.keys()].filter((name) => !known.includes(name))).toEqual([]);
});

test('setting a connection up is not counted as a statement of anybody', async () => {
  const seen: string[] = [];
  const db = open({ statementMs: 1234, onStatement: (text) => seen.push(text) });
  await db.rows({ statement: pidStatement, values: [] });
  expect(seen).toEqual([pidStatement.text]);
});

test('a statement that takes too long is given up, and its connection is kept', async () => {
  const db = open({ statementMs: 300 });
  const before = await db.rows({ statement: pidStatement, values: [] });
  for (const slow of [
    () => db.rows({ statement: sleepStatement, values: [] }),
    () => inTransaction(db.pool, (client) => client.query(sleepStatement)),
  ]) {
    const refusal = await refusalOf(slow());
    expect([isTimeout(refusal), isConnectionLoss(refusal)]).toEqual([true, false]);
    expect(await db.rows({ statement: pidStatement, values: [] })).toEqual(before);
  }
});

test('a statement that Postgres refuses costs no connection', async () => {
  const db = open();
  const before = await db.rows({ statement: pidStatement, values: [] });
  await expect(
    db.rows({ statement: { name: 'test.no-table', text: 'select * from no_such_table' }, values: [] }),
  ).rejects.toThrow(/no_such/);
  expect(await db.rows({ statement: pidStatement, values: [] })).toEqual(before);
});

test('a transaction whose server falls silent is given up at once, without waiting for a rollback', async () => {
  const way = await openWay();
  const db = open({ url: way.url });
  const refusal = await refusalOf(
    inTransaction(db.pool, async (client) => {
      way.stall();
      await client.query({ text: 'select 1', query_timeout: 50 } as pg.QueryConfig);
    }),
  );
  expect(isConnectionLoss(refusal)).toBe(true);
  expect(db.pool.totalCount).toBe(0);
  way.mend();
  expect(await db.rows({ statement: pidStatement, values: [] })).toHaveLength(1);
});

test('a statement with a limit of its own is given up when the server falls silent, and the next one gets through', async () => {
  const way = await openWay();
  const db = open({ url: way.url, statementMs: 600_000 });
  await db.rows({ statement: pidStatement, values: [] });
  way.stall();
  const refusal = await refusalOf(db.rows({ statement: { ...pidStatement, timeoutMs: 50 }, values: [] }));
  expect(isConnectionLoss(refusal)).toBe(true);
  way.mend();
  expect(await db.rows({ statement: pidStatement, values: [] })).toHaveLength(1);
});
