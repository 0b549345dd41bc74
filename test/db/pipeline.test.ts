import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  isConnectionLoss,
  isTimeout,
  openDatabase,
  type PoolOptions,
  type Statement,
  sqlState,
} from '../../db/pool.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';

const postgres = await startOwnPostgres();
const { url } = await postgres.database();
afterAll(() => postgres.stop());

function open(options: Partial<PoolOptions> = {}) {
  const db = openDatabase({ url, ...options });
  onTestFinished(() => db.close());
  return db;
}
async function openWay() {
  const way = await startPgProxy(url);
  onTestFinished(() => way.close());
  return way;
}

const read = (name: string, text: string): Statement => ({ name, text, pipelined: true });
const echo = read('test.echo', 'select $1::int as n, pg_backend_pid() as pid');
const pid = read('test.pid', 'select pg_backend_pid() as pid');
const broken = read('test.broken', 'select 1 / $1::int as n');
const sleep = read('test.sleep', 'select pg_sleep(600)');
const refusalOf = (run: Promise<unknown>) =>
  run.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => error,
  );

test('reads at once each get their own answer, over few connections', async () => {
  const db = open({ name: 'svc-many' });
  const asked = Array.from({ length: 500 }, (_, n) => n);
  const answers = await Promise.all(
    asked.map((n) => db.rows<{ n: number; pid: number }>({ statement: echo, values: [n] })),
  );
  expect(answers.map(([row]) => row!.n)).toEqual(asked);
  const { rows } = await postgres.admin.query(
    `select count(*)::int as n from pg_stat_activity where application_name = 'svc-many reads'`,
  );
  expect(rows[0].n).toBeGreaterThan(0);
  expect(rows[0].n).toBeLessThanOrEqual(4);
});

test('each read is told once, and what sets a connection up is nobody’s statement', async () => {
  const seen: string[] = [];
  const db = open({ onStatement: (text) => seen.push(text) });
  for (const n of [1, 2, 3]) await db.rows({ statement: echo, values: [n] });
  expect(seen).toEqual([echo.text, echo.text, echo.text]);
});

test('rows come as the pool reads them', async () => {
  const db = open();
  const text = `select 12::int8 as whole, 1.5::float8 as half, true as yes, null::text as nothing, 'ä€😀' as words,
    '{"a": [1]}'::jsonb as json, array['x', null] as list, timestamptz '2026-03-06 01:02:03.456789+02' as moment,
    date '2026-03-06' as day, '\\x00ff'::bytea as bytes from generate_series(1, 3)`;
  const byPool = await db.rows({ statement: { name: 'test.types-pool', text }, values: [] });
  expect(await db.rows({ statement: read('test.types', text), values: [] })).toEqual(byPool);
  // The second time the columns are known already.
  expect(await db.rows({ statement: read('test.types', text), values: [] })).toEqual(byPool);
  expect(await db.rows({ statement: read('test.none', 'select 1 as n where false'), values: [] })).toEqual([]);
});

test('a read that fails fails alone', async () => {
  const db = open();
  const missing = read('test.missing', 'select * from no_such_table');
  const settled = await Promise.allSettled([
    db.rows({ statement: echo, values: [1] }),
    db.rows({ statement: broken, values: [0] }),
    db.rows({ statement: broken, values: [1] }),
    db.rows({ statement: missing, values: [] }),
    db.rows({ statement: echo, values: ['no number'] }),
    db.rows({ statement: missing, values: [] }),
    db.rows({ statement: echo, values: [2] }),
  ]);
  expect(
    settled.map((one) => (one.status === 'fulfilled' ? (one.value as { n: number }[])[0]!.n : sqlState(one.reason))),
  ).toEqual([1, '22012', 1, '42P01', '22P02', '42P01', 2]);
  expect(await db.rows({ statement: broken, values: [1] })).toEqual([{ n: 1 }]);
});

test('so does one among statements that the connection knows', async () => {
  const db = open();
  for (const statement of [echo, broken]) await db.rows({ statement: statement, values: [1] });
  const settled = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) =>
      db.rows<{ n: number }>({ statement: n % 7 === 3 ? broken : echo, values: [n % 7 === 3 ? 0 : n] }),
    ),
  );
  expect(settled.map((one) => (one.status === 'fulfilled' ? one.value[0]!.n : sqlState(one.reason)))).toEqual(
    Array.from({ length: 40 }, (_, n) => (n % 7 === 3 ? '22012' : n)),
  );
});

test('reads of statements that are known share transactions, and each sees what was committed before it was asked', async () => {
  const db = open();
  await db.pool.query('create table counted as select 0 as n');
  const counted = read(
    'test.counted',
    'select n, transaction_timestamp()::text as began, pg_backend_pid() as pid from counted',
  );
  await db.rows({ statement: counted, values: [] });
  for (let n = 1; n <= 20; n++) {
    await db.pool.query('update counted set n = $1', [n]);
    const rows = (
      await Promise.all(
        Array.from({ length: 40 }, () =>
          db.rows<{ n: number; began: string; pid: number }>({ statement: counted, values: [] }),
        ),
      )
    ).flat();
    expect(rows.map((row) => row.n)).toEqual(rows.map(() => n));
    expect(new Set(rows.map(({ began, pid }) => `${pid} ${began}`)).size).toBeLessThan(40);
  }
});

test('values that cannot be sent fail their own read alone', async () => {
  const db = open();
  await db.rows({ statement: echo, values: [0] });
  const loop: { self?: object } = {};
  loop.self = loop;
  const settled = await Promise.allSettled(
    [1, loop, 3].map((n) => db.rows<{ n: number }>({ statement: echo, values: [n] })),
  );
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await db.rows({ statement: echo, values: [4] })).toMatchObject([{ n: 4 }]);
});

test('Postgres refuses writes and row locks there, and the pool still takes them', async () => {
  const db = open();
  await db.pool.query('create table notes (n int)');
  const insert = { name: 'test.insert', text: 'insert into notes values ($1) returning n' };
  const refused = await Promise.allSettled([
    db.rows({ statement: { ...insert, pipelined: true }, values: [1] }),
    db.rows({ statement: echo, values: [7] }),
    db.rows({ statement: read('test.lock', 'select * from notes for update'), values: [] }),
  ]);
  expect(refused.map((one) => (one.status === 'rejected' ? sqlState(one.reason) : 'answered'))).toEqual([
    '25006',
    'answered',
    '25006',
  ]);
  expect(await db.rows({ statement: { ...insert, name: 'test.insert-pool' }, values: [1] })).toEqual([{ n: 1 }]);
  // A commit that was answered is seen by whatever is asked next.
  expect(await db.rows({ statement: read('test.notes', 'select n from notes'), values: [] })).toEqual([{ n: 1 }]);
});

test('while the server is away all that were under way fail as a connection loss, and the next read gets through', async () => {
  const way = await openWay();
  const db = open({ url: way.url });
  const [before] = await db.rows<{ pid: number }>({ statement: pid, values: [] });
  const refusals = Promise.all(
    [1, 2, 3].map((n) => refusalOf(db.rows({ statement: n === 1 ? sleep : echo, values: n === 1 ? [] : [n] }))),
  );
  // Sent, and not answered.
  await db.pool.query('select 1');
  way.cut();
  expect((await refusals).map(isConnectionLoss)).toEqual([true, true, true]);
  expect(isConnectionLoss(await refusalOf(db.rows({ statement: pid, values: [] })))).toBe(true);
  way.mend();
  const [after] = await db.rows<{ pid: number }>({ statement: pid, values: [] });
  expect(after).not.toEqual(before);
});

test('a lost connection costs no read: what was under way on it is asked once more', async () => {
  const way = await openWay();
  const db = open({ url: way.url });
  await db.rows({ statement: pid, values: [] });
  const reads = Array.from({ length: 64 }, (_, n) => db.rows<{ n: number }>({ statement: echo, values: [n] }));
  // Sent by now, and the way is cut before anything else is done.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  way.cut();
  way.mend();
  expect((await Promise.all(reads)).map(([row]) => row!.n)).toEqual(Array.from({ length: 64 }, (_, n) => n));
});

test('a session that the server ends is replaced, and what it was at is asked once more', async () => {
  const db = open();
  const [before] = await db.rows<{ pid: number }>({ statement: pid, values: [] });
  const holder = await db.pool.connect();
  await holder.query('select pg_advisory_lock(77)');
  const waiting = read('test.waiting', 'select pg_backend_pid() as pid from pg_advisory_xact_lock_shared(77)');
  const slow = db.rows<{ pid: number }>({ statement: waiting, values: [] });
  const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted and pid = $1`;
  while ((await postgres.admin.query(waits, [before!.pid])).rows.length === 0);
  await postgres.admin.query('select pg_terminate_backend($1, 5000)', [before!.pid]);
  await holder.query('select pg_advisory_unlock(77)');
  holder.release();
  const [after] = await slow;
  expect(after!.pid).not.toBe(before!.pid);
  expect(await db.rows({ statement: pid, values: [] })).not.toEqual([before]);
});

test('a slow statement holds up nobody, neither those sent with it nor those that come after', async () => {
  const db = open();
  await db.rows({ statement: pid, values: [] });
  let slowIsDone = false;
  const slow = Array.from({ length: 6 }, () => db.rows({ statement: sleep, values: [] }).catch(() => undefined));
  for (const one of slow) void one.then(() => (slowIsDone = true));
  const beside = Array.from({ length: 20 }, (_, n) => db.rows<{ n: number }>({ statement: echo, values: [n] }));
  expect((await Promise.all(beside)).map(([row]) => row!.n)).toEqual(beside.map((_, n) => n));
  expect(await db.rows({ statement: echo, values: [99] })).toMatchObject([{ n: 99 }]);
  expect(slowIsDone).toBe(false);
  await postgres.admin.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`,
  );
  await Promise.all(slow);
});

test('nor does one that is known, whichever it travels with', async () => {
  const db = open();
  const nap = read('test.known-nap', 'select pg_sleep($1)');
  for (const [statement, value] of [
    [echo, 1],
    [nap, 0],
  ] as const)
    await db.rows({ statement: statement, values: [value] });
  let slowIsDone = false;
  const before = db.rows<{ n: number }>({ statement: echo, values: [1] });
  const slow = db.rows({ statement: nap, values: [600] }).catch(() => undefined);
  void slow.then(() => (slowIsDone = true));
  const after = db.rows<{ n: number }>({ statement: echo, values: [2] });
  expect((await Promise.all([before, after])).flat().map(({ n }) => n)).toEqual([1, 2]);
  expect(slowIsDone).toBe(false);
  // It may only be on its way to the pool.
  while (!slowIsDone) {
    await postgres.admin.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep($1)' and state = 'active'`,
    );
  }
});

test('a statement that takes too long is given up as one that did, and its connection is kept', async () => {
  const db = open({ statementMs: 300 });
  const before = await db.rows({ statement: pid, values: [] });
  const refusal = await refusalOf(db.rows({ statement: sleep, values: [] }));
  expect([isTimeout(refusal), isConnectionLoss(refusal)]).toEqual([true, false]);
  expect(await db.rows({ statement: pid, values: [] })).toEqual(before);
});

test('a statement with a limit of its own is given up when the server falls silent, and the next one gets through', async () => {
  const way = await openWay();
  const db = open({ url: way.url, statementMs: 600_000 });
  await db.rows({ statement: pid, values: [] });
  way.stall();
  expect(isConnectionLoss(await refusalOf(db.rows({ statement: { ...pid, timeoutMs: 50 }, values: [] })))).toBe(true);
  way.mend();
  expect(await db.rows({ statement: pid, values: [] })).toHaveLength(1);
});

test('a server that cannot be reached is a connection loss, until it can', async () => {
  const way = await openWay();
  const db = open({ url: way.url });
  way.cut();
  const refusals = await Promise.all([1, 2].map((n) => refusalOf(db.rows({ statement: echo, values: [n] }))));
  expect(refusals.map(isConnectionLoss)).toEqual([true, true]);
  way.mend();
  expect(await db.rows({ statement: echo, values: [3] })).toMatchObject([{ n: 3 }]);
});

test('a connection that opens after its reads were answered elsewhere is sent none of them, and serves the next ones', async () => {
  const far = new URL(url);
  const gate = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  // Reads have connections of their own, by name; these stay half open until the gate is.
  const server = createServer((near) => {
    near.on('error', () => undefined);
    near.once('data', async (startup) => {
      near.pause();
      if (startup.includes('svc-late reads')) await gate.promise;
      const onwards = connect(Number(far.port), far.hostname);
      sockets.push(near, onwards);
      onwards.on('error', () => undefined);
      onwards.write(startup);
      near.pipe(onwards).pipe(near);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const by = new URL(url);
  by.port = String((server.address() as AddressInfo).port);
  const db = open({ url: by.href, name: 'svc-late' });
  // Answered by the pool, since the connection for reads takes too long to open.
  expect(await db.rows<{ n: number }>({ statement: echo, values: [1] })).toMatchObject([{ n: 1 }]);
  gate.resolve();
  const named = read('test.named', `select $1::int as n, current_setting('application_name') as name`);
  for (let n = 2, name = ''; name !== 'svc-late reads'; n++) {
    const [row] = await db.rows<{ n: number; name: string }>({ statement: named, values: [n] });
    expect(row!.n).toBe(n);
    name = row!.name;
  }
  expect(await db.rows<{ n: number }>({ statement: echo, values: [0] })).toMatchObject([{ n: 0 }]);
});

test('a statement whose columns have changed since is asked anew', async () => {
  const db = open();
  await db.pool.query('create table shapes as select 1 as n');
  const shapes = read('test.shapes', 'select * from shapes');
  expect(await db.rows({ statement: shapes, values: [] })).toEqual([{ n: 1 }]);
  await db.pool.query('alter table shapes add column more text');
  expect(await db.rows({ statement: shapes, values: [] })).toEqual([{ n: 1, more: null }]);
  expect(await db.rows({ statement: shapes, values: [] })).toEqual([{ n: 1, more: null }]);
});

test('closing waits for the reads that are under way', async () => {
  const db = openDatabase({ url });
  const slow = db.rows({ statement: read('test.nap', 'select pg_sleep(0.2), 1 as n'), values: [] });
  await db.close();
  expect(await slow).toMatchObject([{ n: 1 }]);
});
