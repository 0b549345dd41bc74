import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPoolBusyError, ProjectPools, type ProjectPoolsOptions } from '../../db/project-pools.ts';
import type { BatchRows, BatchStatement } from '../../db/wire/batch.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const server = await startOwnPostgres();
const control = await server.database();
const databases = new ProjectDatabases({
  servers: { main: control.url },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const project = databases.assign();
await databases.provision(project);
const opened: ProjectPools[] = [];
const poolsOf = (options: Partial<ProjectPoolsOptions> = {}) => {
  const pools = new ProjectPools({ databases, warn: () => undefined, ...options });
  opened.push(pools);
  return pools;
};

afterEach(() => {
  vi.useRealTimers();
  return Promise.all(opened.splice(0).map((pools) => pools.close()));
});
afterAll(async () => {
  await databases.close();
  await server.stop();
});

const statement = (text: string, values: readonly string[] = [], name?: string): BatchStatement => ({
  name,
  text,
  values,
});
const times = <Result>(count: number, make: (nth: number) => Result) =>
  Array.from({ length: count }, (_, nth) => make(nth));
const claim = (value: string) => statement("select set_config('request.jwt.claims', $1, true)", [value], 'claim');
const claims = statement("select current_setting('request.jwt.claims', true), current_user", [], 'claims');
const share = (pools: ProjectPools, statements: readonly BatchStatement[], signal?: AbortSignal) =>
  pools.run(project, statements, { shared: true, signal });
/** What every connection of the project says of itself. */
const left = async (pools: ProjectPools) => {
  const asked = times(8, () => pools.run(project, [statement('select pg_sleep(0.02)'), claims]));
  return new Set((await Promise.all(asked)).map((rows) => JSON.stringify(rows[1]![0])));
};
const clean = () => new Set([JSON.stringify(['', project.roleName])]);
const untouched = () => new Set([...clean(), JSON.stringify([null, project.roleName])]);
const expectClean = async (pools: ProjectPools) => {
  for (const one of await left(pools)) expect(untouched()).toContain(one);
};
const sleepers = async () =>
  (
    await server.admin.query(
      "select 1 from pg_stat_activity where usename = $1 and state = 'active' and query like '%sleep%'",
      [project.roleName],
    )
  ).rowCount;

test('reads that are asked at once share few connections, and each sees its own claims alone', async () => {
  const pools = poolsOf();
  const answers = await Promise.all(times(300, (nth) => share(pools, [claim(`caller ${nth}`), claims])));
  expect(answers.map((rows) => rows[1]![0]![0])).toEqual(times(300, (nth) => `caller ${nth}`));
  expect(pools.size).toBeLessThanOrEqual(4);
  await expectClean(pools);
});

test('a read that fails is refused alone, and those beside it see neither its error nor its claims', async () => {
  const pools = poolsOf();
  const asked = times(60, (nth) =>
    share(pools, [claim(`caller ${nth}`), nth % 7 === 0 ? statement('select 1 / 0', [], 'broken') : claims]),
  );
  const answers = await Promise.allSettled(asked);
  for (const [nth, answer] of answers.entries()) {
    if (nth % 7 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    else expect(answer).toMatchObject({ value: [expect.anything(), [[`caller ${nth}`, project.roleName]]] });
  }
  await expectClean(pools);
});

test('a statement that a failed read did not come to prepare is prepared for the next', async () => {
  const pools = poolsOf();
  const answers = await Promise.allSettled([
    share(pools, [statement('select 1 / $1::int', ['0'], 'divide'), statement('select 5', [], 'five')]),
    ...times(5, () => share(pools, [statement('select 5', [], 'five')])),
  ]);
  expect(answers[0]).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(answers.slice(1)).toEqual(times(5, () => ({ status: 'fulfilled', value: [[['5']]] })));
});

test('a slow read holds up nobody who was sent behind it', async () => {
  const pools = poolsOf();
  const slow = share(pools, [claim('slow'), statement('select pg_sleep(600)')]);
  const refused = expect(slow).rejects.toMatchObject({ code: expect.any(String) });
  const beside = times(20, (nth) => share(pools, [claim(`caller ${nth}`), claims]));
  expect((await Promise.all(beside)).map((rows) => rows[1]![0]![0])).toEqual(times(20, (nth) => `caller ${nth}`));
  expect(await sleepers()).toBe(1);
  await databases.cancelBackend(project, await sleeperOf());
  await refused;
  await expectClean(pools);
});

const sleeperOf = async () =>
  (
    await server.admin.query<{ pid: number }>(
      "select pid from pg_stat_activity where usename = $1 and state = 'active' and query like '%sleep%'",
      [project.roleName],
    )
  ).rows[0]!.pid;

test('a read that nobody waits for any more is stopped, those beside it are not', async () => {
  const pools = poolsOf();
  const gone = new AbortController();
  const slow = share(pools, [claim('gone'), statement('select pg_sleep(600)')], gone.signal);
  const refused = expect(slow).rejects.toMatchObject({ code: '57014' });
  const beside = times(20, (nth) => share(pools, [claim(`caller ${nth}`), claims]));
  gone.abort();
  expect((await Promise.all(beside)).map((rows) => rows[1]![0]![0])).toEqual(times(20, (nth) => `caller ${nth}`));
  await refused;
  await expect.poll(sleepers).toBe(0);
  await expectClean(pools);
});

test('a read that takes too long is cancelled', async () => {
  const pools = poolsOf({ batchMs: 100 });
  await expect(share(pools, [claim('long'), statement('select pg_sleep(600)')])).rejects.toMatchObject({
    code: '57014',
  });
  await expectClean(pools);
});

test('when a connection is cut its reads are refused, and the next ones are answered on another', async () => {
  const pools = poolsOf();
  const asked = Promise.allSettled(times(8, () => share(pools, [statement('select pg_sleep(0.2)')])));
  await expect.poll(sleepers).toBeGreaterThan(0);
  await server.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
    project.roleName,
  ]);
  expect((await asked).some(({ status }) => status === 'rejected')).toBe(true);
  await expect
    .poll(() =>
      share(pools, [claims]).then(
        (rows) => rows.length,
        () => 0,
      ),
    )
    .toBe(1);
  await expectClean(pools);
});

/** Which transaction a read was in, whose claims it saw, and the value it was asked for. */
const where = (value: string) =>
  statement(
    "select pg_backend_pid() || ' ' || now(), current_setting('request.jwt.claims', true), $1::text",
    [value],
    'where',
  );
const transactions = (answers: readonly BatchRows[]) => new Set(answers.map((rows) => rows[1]![0]![0]));

test('reads that are alike share transactions, and each has its own answer', async () => {
  const pools = poolsOf();
  await share(pools, [claim('one'), where('first')]);
  const answers = await Promise.all(times(16, (nth) => share(pools, [claim('one'), where(`${nth}`)])));
  expect(answers.map((rows) => rows[1]![0]!.slice(1))).toEqual(times(16, (nth) => ['one', `${nth}`]));
  expect(transactions(answers).size).toBe(4);
  await expectClean(pools);
});

test('reads of two callers, or of two statements, never share a transaction', async () => {
  const pools = poolsOf();
  const other = (value: string) => ({ ...where(value), text: `${where('').text} `, name: 'other' });
  await share(pools, [claim('one'), where('first')]);
  await share(pools, [claim('one'), other('first')]);
  const answers = await Promise.all(
    times(60, (nth) => share(pools, [claim(`caller ${nth % 3}`), nth % 2 === 0 ? where('a') : other('b')])),
  );
  const seen = new Map<string, Set<string>>();
  for (const rows of answers) {
    const [transaction, ...whose] = rows[1]![0]! as string[];
    seen.set(transaction!, (seen.get(transaction!) ?? new Set()).add(whose.join()));
  }
  expect(seen.size).toBeLessThan(60);
  for (const whose of seen.values()) expect(whose.size).toBe(1);
});

test('a read that fails is refused alone, also among those that are alike', async () => {
  const pools = poolsOf();
  const divide = (by: string) => statement('select 12 / $1::int', [by], 'divide');
  await share(pools, [claim('one'), divide('1')]);
  const answers = await Promise.allSettled(
    times(32, (nth) => share(pools, [claim('one'), divide(nth % 5 === 1 ? '0' : '3')])),
  );
  for (const [nth, answer] of answers.entries()) {
    if (nth % 5 === 1) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    else expect(answer).toMatchObject({ value: [expect.anything(), [['4']]] });
  }
  await expectClean(pools);
});

test('a slow read holds up nobody who asked alike', async () => {
  const pools = poolsOf();
  const sleep = (seconds: string) => statement('select $1::text from pg_sleep($1::float8)', [seconds], 'sleep');
  await share(pools, [claim('one'), sleep('0')]);
  const asked = times(8, (nth) => share(pools, [claim('one'), sleep(nth === 2 ? '600' : '0')]));
  const [slow] = asked.splice(2, 1);
  const refused = expect(slow).rejects.toMatchObject({ code: '57014' });
  expect((await Promise.all(asked)).map((rows) => rows[1]![0]![0])).toEqual(times(7, () => '0'));
  await expect.poll(sleepers).toBe(1);
  await databases.cancelBackend(project, await sleeperOf());
  await refused;
  await expectClean(pools);
});

test('reads that took long together go alone for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const pools = poolsOf();
  const sleep = (seconds: string) =>
    statement("select pg_backend_pid() || ' ' || now(), pg_sleep($1::float8)", [seconds], 'nap');
  const ask = (seconds: string) => Promise.all(times(4, () => share(pools, [claim('one'), sleep(seconds)])));
  await share(pools, [claim('one'), sleep('0')]);
  expect(transactions(await ask('0')).size).toBe(1);
  expect(transactions(await ask('0.1')).size).toBe(4);
  // Each has had a connection to itself for some seconds after that.
  vi.advanceTimersByTime(10_000);
  expect(transactions(await ask('0')).size).toBe(4);
  vi.advanceTimersByTime(600_000);
  expect(transactions(await ask('0')).size).toBe(1);
});

test('nobody waits for large answers that others asked for', async () => {
  const pools = poolsOf();
  const large = (value: string) =>
    statement("select pg_backend_pid() || ' ' || now(), repeat($1, 40000)", [value], 'large');
  await share(pools, [claim('one'), large('x')]);
  const answers = await Promise.all(times(8, () => share(pools, [claim('one'), large('y')])));
  expect(transactions(answers).size).toBe(8);
});

test('reads that follow each other without end let others have the connection', async () => {
  const pools = poolsOf({ perProject: 1 });
  let going = true;
  const reader = async () => {
    while (going) await share(pools, [claim('reader'), claims]);
  };
  const readers = times(8, reader);
  const changes = await Promise.all(times(5, () => pools.run(project, [claims])));
  expect(changes).toHaveLength(5);
  going = false;
  await Promise.all(readers);
  await expectClean(pools);
});

test('closed pools refuse reads', async () => {
  const pools = poolsOf();
  await share(pools, [claims]);
  await pools.close();
  await expect(share(pools, [claims])).rejects.toBeInstanceOf(ProjectPoolBusyError);
});
