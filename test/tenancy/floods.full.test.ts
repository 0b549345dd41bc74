import type pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { connectAs, expectState, hostileWorld } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell, meanwhile } = await hostileWorld(service);
afterEach(neighbourIsWell);

test('a flood of slow statements takes the project’s own connections, and no neighbour’s turn', async () => {
  const flood = Promise.all(Array.from({ length: 40 }, () => hostile.send('select pg_sleep(3)')));
  const answers = await meanwhile(flood);
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'UPSTREAM_UNAVAILABLE', {});
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(8);
});

test('while all connections of a project are taken, its rows answer as the dialect does and its SQL by the envelope', async () => {
  await hostile.sql('create table waited_for (id int)');
  const holder = await connectAs(hostile.loginUrl);
  await holder.query('select pg_advisory_lock(11)');
  const taken = Promise.all(Array.from({ length: 8 }, () => hostile.send('select pg_advisory_xact_lock(11)')));
  const waiting = async () =>
    (
      await service.control.sql<{ pid: number }>(
        "select pid from pg_stat_activity where datname = $1 and wait_event = 'advisory'",
        [hostile.databaseName],
      )
    ).length;
  await expect.poll(waiting).toBe(8);
  const [rows, sql] = await meanwhile(Promise.all([hostile.admin('GET', 'waited_for'), hostile.send('select 1')]));
  expect({ status: rows.status, body: rows.body }).toMatchObject({ status: 504, body: { code: 'PGRST003' } });
  expectRefusal(sql, 'UPSTREAM_UNAVAILABLE');
  await holder.end();
  expect((await taken).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect((await hostile.admin('GET', 'waited_for')).status).toBe(200);
});

test('a flood of short statements goes in turns, and the neighbour’s come between', async () => {
  const answers = await meanwhile(Promise.all(Array.from({ length: 300 }, (_, n) => hostile.send(`select ${n} as n`))));
  expect(answers.map(({ status, body }) => (status === 200 ? body.rows[0].n : body))).toEqual(answers.map((_, n) => n));
});

test('a login has so many connections and no more, which leaves the others’ alone', async () => {
  const open: pg.Client[] = [];
  const refused: unknown[] = [];
  for (let index = 0; index < 50; index++)
    await connectAs(hostile.loginUrl).then(
      (client) => open.push(client),
      (error: unknown) => refused.push(error),
    );
  expect(open.length).toBeLessThanOrEqual(40);
  for (const error of refused) expect(error).toMatchObject({ code: '53300' });
  expect(refused.length).toBeGreaterThanOrEqual(10);
  await neighbourIsWell();
  await Promise.all(open.map((client) => client.end()));
  await expect.poll(async () => (await hostile.send('select 1')).status).toBe(200);
});

test('huge results are refused by name while the neighbour is served', async () => {
  const texts = [
    "select repeat('x', 1000) from generate_series(1, 5000000)",
    "select repeat('x', 500000000)",
    'select generate_series(1, 50000000)',
    "select repeat('x', 10000) from generate_series(1, 100000); select 1",
  ];
  const answers = await meanwhile(Promise.all(texts.map((text) => hostile.send(text))));
  for (const answer of answers) expectRefusal(answer, 'RESULT_TOO_LARGE');
});

test('what a statement may write to disk while it sorts has an end', async () => {
  expect(await hostile.sql("select current_setting('temp_file_limit') as most")).toEqual([{ most: '1GB' }]);
  const sort =
    "set local work_mem = '64kB'; select count(*) from (select repeat(md5(n::text), 60) as t from generate_series(1, 900000) n order by 1 offset 1) s";
  expectState(await meanwhile(hostile.send(sort)), '53400');
});

test('endless recursion and loops end by themselves or by the clock', async () => {
  await hostile.sql(
    'create function again(n int) returns int language plpgsql as $$ begin return again(n + 1); end $$',
  );
  expectState(await meanwhile(hostile.send('select again(1)')), '54001');
  expectState(
    await meanwhile(
      hostile.send("do $$ begin perform set_config('statement_timeout', '0', false); loop perform 1; end loop; end $$"),
    ),
    '57014',
  );
});

test('a flood of notifications is nobody’s to wait for', async () => {
  const { status } = await meanwhile(
    hostile.send("select count(pg_notify('flood', repeat('x', 100) || n)) from generate_series(1, 200000) n"),
  );
  expect(status).toBe(200);
});

test('locks on all that is the project’s hold up the project alone', async () => {
  await hostile.sql('create table held (id int)');
  const holder = hostile.send(
    'lock table held in access exclusive mode; lock table _svc.manifest in share mode; select pg_sleep(2)',
  );
  expect((await meanwhile(holder)).status).toBe(200);
});
