import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  inTransaction,
  isConnectionLoss,
  isTimeout,
  type LastStatement,
  OutcomeUnknownError,
  openDatabase,
  type PoolOptions,
  type Queries,
} from '../../db/pool.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
afterAll(() => postgres.stop());

/** A database of one connection, by a way that is watched, with an empty table `kept`. */
async function open(options: Partial<PoolOptions> = {}) {
  const way = await startPgProxy(url);
  const db = openDatabase({ url: way.url, max: 1, ...options });
  onTestFinished(async () => {
    await db.close();
    await way.close();
  });
  await db.pool.query('drop table if exists kept');
  await db.pool.query('create table kept (n int primary key)');
  const before = way.trips.length;
  return {
    db,
    way,
    trips: () => way.trips.slice(before).map(({ texts }) => texts),
    kept: async () => (await db.pool.query<{ n: number }>('select n from kept order by n')).rows.map(({ n }) => n),
  };
}

const keep = { name: 'test.keep', text: 'insert into kept (n) values ($1) returning n' };
const keeping = (n: number): LastStatement => ({ statement: keep, values: [n] });
const one = { name: 'test.one', text: 'select 1 as one' };
const two = { name: 'test.two', text: 'select 2 as two' };
const refusalOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => error,
  );
/** Its connection, and whether that is in a transaction. */
const stateOf = async (db: Database) => {
  const client = await db.pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const state = [rows[0]!.pid, client.getTransactionStatus()];
  client.release();
  return state;
};

test('a transaction begins with its first statement and commits with its last ones', async () => {
  const { db, trips, kept } = await open();
  const seen: unknown[] = [];
  await inTransaction(db.pool, async (client, last) => {
    last({ ...keeping(1), answered: ([row]) => seen.push(row) });
    expect((await client.query(one)).rows).toEqual([{ one: 1 }]);
    await client.query(two);
    last({ ...keeping(2), answered: ([row]) => seen.push(row) });
    expect(seen).toEqual([]);
  });
  expect(trips()).toEqual([['begin', one.text], [two.text], [keep.text, keep.text, 'commit']]);
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await kept()).toEqual([1, 2]);
});

test('what is asked at once travels at once, and one that asks for its last alone is one trip', async () => {
  const { db, trips } = await open();
  await inTransaction(db.pool, async (client) => {
    const [first, second] = await Promise.all([client.query(one), client.query(two)]);
    expect([first.rows, second.rows]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
  });
  await inTransaction(db.pool, async (_client, last) => last(keeping(1)));
  expect(trips()).toEqual([['begin', one.text, two.text], ['commit'], ['begin', keep.text, 'commit']]);
});

test('a transaction that asks for nothing sends nothing, whether it ends well or not', async () => {
  const { db, trips } = await open();
  expect(await inTransaction(db.pool, async () => 'done')).toBe('done');
  await expect(inTransaction(db.pool, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(trips()).toEqual([]);
});

test('of a transaction whose work throws nothing is kept, its last statements are not sent, and its connection is as good as before', async () => {
  const { db, trips, kept } = await open();
  const before = await stateOf(db);
  const away = inTransaction(db.pool, async (client, last) => {
    last(keeping(1));
    await client.query({ ...keep, values: [2] });
    throw new Error('changed my mind');
  });
  await expect(away).rejects.toThrow('changed my mind');
  expect(await kept()).toEqual([]);
  expect(trips().flat()).not.toContain('commit');
  expect(await stateOf(db)).toEqual(before);
});

test('a last statement that fails takes all with it, those before it and those behind it, and says in its own words why', async () => {
  const { db, kept } = await open();
  const before = await stateOf(db);
  const told: unknown[] = [];
  const refusal = await refusalOf(
    inTransaction(db.pool, async (client, last) => {
      await client.query({ ...keep, values: [1] });
      last({ ...keeping(2), answered: (rows) => told.push(rows) });
      last({ ...keeping(1), refused: (cause) => new Error('There is one already.', { cause }) });
      last({ ...keeping(3), refused: () => new Error('never asked') });
    }),
  );
  expect(refusal).toMatchObject({ message: 'There is one already.', cause: { code: '23505' } });
  expect([await kept(), told]).toEqual([[], []]);
  expect(await stateOf(db)).toEqual(before);
  // What was never prepared because of it is prepared now.
  await inTransaction(db.pool, async (_client, last) => last(keeping(4)));
  expect(await kept()).toEqual([4]);
});

test('a statement that was not sent before is prepared again after it failed, and one behind it too', async () => {
  const { db, kept } = await open();
  const asked = (client: Queries, n: number) =>
    Promise.all([client.query({ ...keep, values: [n] }), client.query(one)]);
  await expect(inTransaction(db.pool, (client) => asked(client, 3_000_000_000))).rejects.toMatchObject({
    code: '22003',
  });
  await inTransaction(db.pool, (client) => asked(client, 5));
  expect(await kept()).toEqual([5]);
});

test('a value that cannot be written has nothing of its packet sent, least of all the commit', async () => {
  const { db, trips, kept } = await open();
  const before = await stateOf(db);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const away = inTransaction(db.pool, async (_client, last) => {
    last(keeping(1));
    last({ statement: keep, values: [circular] });
  });
  await expect(away).rejects.toThrow(/circular/);
  expect(trips().flat()).not.toContain('commit');
  expect(await kept()).toEqual([]);
  expect(await stateOf(db)).toEqual(before);
  await inTransaction(db.pool, async (_client, last) => last(keeping(2)));
  expect(await kept()).toEqual([2]);
});

test('where the beginning could not be sent, nothing that is asked after it is kept, and it is not taken for committed', async () => {
  const { db, trips, kept } = await open();
  const before = await stateOf(db);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const told: unknown[] = [];
  const away = inTransaction(db.pool, async (client, last) => {
    await refusalOf(client.query({ ...keep, values: [circular] }));
    await refusalOf(client.query({ ...keep, values: [1] }));
    last({ ...keeping(2), answered: (rows) => told.push(rows) });
  });
  await expect(away).rejects.toThrow('What it was to run in has not begun.');
  expect([await kept(), told]).toEqual([[], []]);
  expect(trips().flat()).not.toContain(keep.text);
  expect(await stateOf(db)).toEqual(before);
  await inTransaction(db.pool, async (_client, last) => last(keeping(3)));
  expect(await kept()).toEqual([3]);
});

test('what Postgres took back because a failure went unnoticed is not taken for committed', async () => {
  const { db, kept } = await open();
  const away = inTransaction(db.pool, async (client) => {
    await client.query({ ...keep, values: [1] });
    await client.query('select * from no_such_table').catch(() => undefined);
  });
  await expect(away).rejects.toThrow(/nothing was committed/);
  expect(await kept()).toEqual([]);
});

test('whoever asks after the end of a transaction is refused, and nothing of it is kept', async () => {
  const { db, kept } = await open();
  let late: Queries | undefined;
  await inTransaction(db.pool, async (client) => {
    late = client;
    await client.query(one);
  });
  await expect(late!.query({ ...keep, values: [1] })).rejects.toThrow('This transaction is over.');
  const strays: Promise<unknown>[] = [];
  const away = inTransaction(db.pool, async (client) => {
    strays.push(refusalOf(client.query({ ...keep, values: [2] })));
    throw new Error('no');
  });
  await expect(away).rejects.toThrow('no');
  expect(await strays[0]).toMatchObject({ message: 'This transaction is over.' });
  expect(await kept()).toEqual([]);
});

test('a last statement that takes too long is given up with all the others, and its connection is kept', async () => {
  const { db, kept } = await open({ statementMs: 300 });
  const before = await stateOf(db);
  const refusal = await refusalOf(
    inTransaction(db.pool, async (_client, last) => {
      last(keeping(1));
      last({ statement: { name: 'test.sleep', text: 'select pg_sleep(600)' }, values: [] });
    }),
  );
  expect([isTimeout(refusal), isConnectionLoss(refusal), refusal instanceof OutcomeUnknownError]).toEqual([
    true,
    false,
    false,
  ]);
  expect([await kept(), await stateOf(db)]).toEqual([[], before]);
});

test('a commit whose answer is lost leaves its outcome unknown, with all that travelled with it', async () => {
  const { db, way, kept } = await open();
  const told: unknown[] = [];
  const commit = way.freezeCommit(/insert into kept/);
  const away = refusalOf(
    inTransaction(db.pool, async (_client, last) => last({ ...keeping(1), answered: (rows) => told.push(rows) })),
  );
  await commit.answered;
  commit.lose();
  const refusal = await away;
  expect([refusal instanceof OutcomeUnknownError, isConnectionLoss(refusal), told]).toEqual([true, true, []]);
  // It was made, and the next connection sees it.
  expect(await kept()).toEqual([1]);
});

test('a server that falls silent with the commit under way leaves its outcome unknown', async () => {
  const { db, way } = await open();
  const refusal = await refusalOf(
    inTransaction(db.pool, async (client, last) => {
      await client.query(one);
      way.stall();
      last({ statement: { ...keep, query_timeout: 50 } as typeof keep, values: [1] });
      last({ statement: { ...one, query_timeout: 50 } as typeof one, values: [] });
    }),
  );
  expect(refusal).toBeInstanceOf(OutcomeUnknownError);
  expect(db.pool.totalCount).toBe(0);
});

test('a connection that was lost before the commit was sent leaves nothing unknown', async () => {
  const { db, way } = await open();
  const refusal = await refusalOf(
    inTransaction(db.pool, async (client, last) => {
      await client.query(one);
      way.cut();
      await client.query(two).catch(() => undefined);
      last(keeping(1));
    }),
  );
  expect([isConnectionLoss(refusal), refusal instanceof OutcomeUnknownError]).toEqual([true, false]);
  expect(db.pool.totalCount).toBe(0);
});

test('a session that Postgres ends before it comes to the commit leaves nothing unknown', async () => {
  const { db, kept } = await open();
  const refusal = await refusalOf(
    inTransaction(db.pool, async (_client, last) => {
      last(keeping(1));
      last({ statement: { name: 'test.end', text: 'select pg_terminate_backend(pg_backend_pid())' }, values: [] });
    }),
  );
  expect([isConnectionLoss(refusal), refusal instanceof OutcomeUnknownError]).toEqual([true, false]);
  expect(await kept()).toEqual([]);
});
