import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { type ProjectDatabase, ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPoolBusyError, ProjectPools, type ProjectPoolsOptions } from '../../db/project-pools.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

const server = await startOwnPostgres();
const control = await server.database();
const databases = new ProjectDatabases({
  servers: { main: control.url },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const [one, two, three] = [databases.assign(), databases.assign(), databases.assign()];
await Promise.all([one, two, three].map((database) => databases.provision(database)));
const opened: ProjectPools[] = [];

afterAll(async () => {
  await Promise.all(opened.map((pools) => pools.close()));
  await databases.close();
  await server.stop();
});

const poolsOf = (options: Partial<ProjectPoolsOptions> = {}) => {
  const pools = new ProjectPools({ databases, warn: () => undefined, ...options });
  opened.push(pools);
  return pools;
};

const statement = (text: string, values: readonly string[] = [], name?: string) => ({ name, text, values });
const processId = async (pools: ProjectPools, database = one) =>
  (await pools.run(database, [statement('select pg_backend_pid()')]))[0]![0]![0]!;
const connections = async (database: ProjectDatabase) =>
  (await server.admin.query('select 1 from pg_stat_activity where usename = $1', [database.roleName])).rowCount;

test('statements of a batch see each other, come back in order and as text', async () => {
  const pools = poolsOf();
  const rows = await pools.run(one, [
    statement("select set_config('my.word', $1, true)", ['said']),
    statement("select current_setting('my.word'), null, 7"),
    statement('select n from generate_series(1, 3) n'),
    statement(''),
  ]);
  expect(rows).toEqual([[['said']], [['said', null, '7']], [['1'], ['2'], ['3']], []]);
});

test('a batch is one transaction: nothing of it stays when its last statement fails', async () => {
  const pools = poolsOf();
  await pools.run(one, [
    statement("select set_config('role', 'service_role', true)"),
    statement('create table kept (id int)'),
  ]);
  const broken = pools.run(one, [
    statement("select set_config('role', 'service_role', true)"),
    statement('insert into kept values (1)'),
    statement('select 1 / 0'),
  ]);
  await expect(broken).rejects.toMatchObject({ code: '22012' });
  const rows = await pools.run(one, [
    statement('select current_user'),
    statement("select set_config('role', 'service_role', true)"),
    statement('select count(*) from kept'),
  ]);
  expect([rows[0], rows[2]]).toEqual([[[one.roleName]], [['0']]]);
});

test('a statement that was prepared by a batch that failed can be sent again under its name', async () => {
  const pools = poolsOf({ perProject: 1 });
  const divide = (by: string) => pools.run(one, [statement('select 6 / $1::int', [by], 'divide')]);
  await expect(divide('0')).rejects.toMatchObject({ code: '22012' });
  expect(await divide('2')).toEqual([[['3']]]);
  await expect(divide('0')).rejects.toMatchObject({ code: '22012' });
  expect(await divide('3')).toEqual([[['2']]]);
  await expect(pools.run(one, [statement('selec', [], 'typo')])).rejects.toMatchObject({ code: '42601' });
  await expect(pools.run(one, [statement('selec', [], 'typo')])).rejects.toMatchObject({ code: '42601' });
});

test('a copy from or to the client is refused and the connection goes on', async () => {
  const pools = poolsOf({ perProject: 1 });
  await expect(pools.run(one, [statement('copy (select 1) to stdout')])).resolves.toBeDefined();
  const copyIn = [statement("select set_config('role', 'service_role', true)"), statement('copy kept from stdin')];
  await expect(pools.run(one, copyIn)).rejects.toMatchObject({ code: '57014' });
  expect(await pools.run(one, [statement('select 1')])).toEqual([[['1']]]);
});

test('a project has so many connections at once and no more; who comes then waits its turn', async () => {
  const pools = poolsOf({ perProject: 2 });
  const asked = Array.from({ length: 12 }, () =>
    pools.run(one, [statement('select pg_backend_pid(), pg_sleep(0.01)')]),
  );
  const used = new Set((await Promise.all(asked)).map(([rows]) => rows![0]![0]));
  expect(used.size).toBeLessThanOrEqual(2);
  expect(pools.size).toBeLessThanOrEqual(2);
});

test('all projects together have so many connections; an idle one makes room for another project', async () => {
  const pools = poolsOf({ perProject: 4, max: 2 });
  await Promise.all([processId(pools, one), processId(pools, one)]);
  expect(await pools.run(two, [statement('select 1')])).toEqual([[['1']]]);
  expect(pools.size).toBeLessThanOrEqual(2);
  const mixed = Array.from({ length: 20 }, (_, index) => processId(pools, index % 2 === 0 ? one : two));
  expect(await Promise.all(mixed)).toHaveLength(20);
  expect(pools.size).toBeLessThanOrEqual(2);
});

test('a project that asks for the first time has its turn among projects that fill all connections', async () => {
  const pools = poolsOf({ perProject: 2, max: 4 });
  let served = false;
  // They leave no connection idle for as long as the third one waits, which is refused after five seconds.
  const flood = [one, two].flatMap((database) =>
    Array.from({ length: 20 }, async (_, at) => {
      // Half of them share connections, half have one to themselves.
      while (!served) await pools.run(database, [statement('select 1')], { shared: at % 2 === 0 });
    }),
  );
  const asked = pools.run(three, [statement('select 1')]).finally(() => {
    served = true;
  });
  await Promise.all([...flood, asked]);
  expect(pools.size).toBeLessThanOrEqual(4);
  await pools.close();
});

test('where the server takes no more connections of a project, those that are open serve all', async () => {
  await expect.poll(() => connections(three)).toBe(0);
  await server.admin.query(`alter role ${three.roleName} connection limit 1`);
  const pools = poolsOf({ waitMs: 60_000 });
  await Promise.all(Array.from({ length: 20 }, () => processId(pools, three)));
  expect(pools.size).toBe(1);
  // Another node finds none left.
  await expect(processId(poolsOf(), three)).rejects.toBeInstanceOf(ProjectPoolBusyError);
  await server.admin.query(`alter role ${three.roleName} connection limit 40`);
  const used = await Promise.all(Array.from({ length: 20 }, () => processId(pools, three)));
  expect(new Set(used).size).toBeGreaterThan(1);
  await pools.forget(three);
});

test('nothing is kept of a project that nobody asks for', async () => {
  const pools = poolsOf({ idleMs: 20, perProject: 1 });
  const enough = new AbortController();
  const long = pools.run(one, [statement('select pg_sleep(600)')], { signal: enough.signal }).catch(() => 'cancelled');
  await expect(pools.run(one, [statement('select 1')], { shared: true })).rejects.toBeInstanceOf(ProjectPoolBusyError);
  enough.abort();
  expect(await long).toBe('cancelled');
  await Promise.all([processId(pools, two), processId(pools, three)]);
  await expect.poll(() => pools.projects).toBe(0);
  expect(await pools.run(one, [statement('select 1')], { shared: true })).toEqual([[['1']]]);
});

/** A time that is short for what is to be refused is too short for what is to go well on a slow machine. */
const inTheEnd = <Result>(run: () => Promise<Result>) => until(run);

test('who waits too long is refused by name, and what ran goes on', async () => {
  const pools = poolsOf({ perProject: 1, waitMs: 50 });
  const select = () => pools.run(one, [statement('select 1')]);
  await inTheEnd(select);
  const url = new URL(control.url);
  url.pathname = `/${one.databaseName}`;
  const holder = new pg.Client({ connectionString: url.href });
  await holder.connect();
  await holder.query('select pg_advisory_lock(7)');
  const long = pools.run(one, [statement('select pg_advisory_xact_lock_shared(7), 1')]);
  await expect(select()).rejects.toBeInstanceOf(ProjectPoolBusyError);
  await holder.end();
  expect(await long).toEqual([[['', '1']]]);
  expect(await inTheEnd(select)).toEqual([[['1']]]);
});

test('a batch that takes too long is cancelled whatever limit it sets itself, and its connection serves on', async () => {
  const pools = poolsOf({ perProject: 1, batchMs: 100 });
  const before = await inTheEnd(() => processId(pools));
  const endless = [statement("select set_config('statement_timeout', '0', false)"), statement('select pg_sleep(600)')];
  await expect(pools.run(one, endless)).rejects.toMatchObject({ code: '57014' });
  expect(await inTheEnd(() => processId(pools))).toBe(before);
});

test('an idle connection is closed after its time', async () => {
  const pools = poolsOf({ idleMs: 20 });
  await processId(pools);
  await expect.poll(() => pools.size).toBe(0);
});

test('what is forgotten is closed, so that a database can be copied', async () => {
  const pools = poolsOf();
  await processId(pools, three);
  expect(await connections(three)).toBe(1);
  await pools.forget(three);
  await expect.poll(() => connections(three)).toBe(0);
  expect(pools.size).toBe(0);
});

test('closed pools refuse at once, also those who wait', async () => {
  const pools = poolsOf({ perProject: 1 });
  const running = pools.run(one, [statement('select pg_sleep(0.2)')]);
  const waiting = pools.run(one, [statement('select 1')]);
  await Promise.all([
    expect(waiting).rejects.toBeInstanceOf(ProjectPoolBusyError),
    pools.close(),
    expect(running).resolves.toBeDefined(),
  ]);
  await expect(pools.run(one, [statement('select 1')])).rejects.toBeInstanceOf(ProjectPoolBusyError);
});

test('a role that changed its password is let in again, once it is set back', async () => {
  const warned: string[] = [];
  await server.admin.query(`alter role ${two.roleName} password 'changed'`);
  const pools = poolsOf({ warn: (message) => void warned.push(message) });
  expect(await pools.run(two, [statement('select current_user')])).toEqual([[[two.roleName]]]);
  expect(warned).toEqual(['A project role could not log in; its password is set back.']);
});

test('a script is committed and answered, or refused and undone, whatever its bytes may be', async () => {
  const pools = poolsOf({ perProject: 1 });
  const owner = statement("select set_config('role', 'service_role', true)");
  await pools.run(one, [owner, statement('create table scripts (bytes int)')]);
  const outcomes = new Set<string>();
  for (let bytes = 20; bytes <= 400; bytes += 20) {
    const script = [owner, statement(`insert into scripts values (${bytes}) returning bytes`)];
    const outcome = await pools.runScript(one, script, { rows: 10, bytes }).then(
      ({ rows }) => rows.join(),
      (error: Error) => error.name,
    );
    const kept = await pools.run(one, [owner, statement(`select bytes from scripts where bytes = ${bytes}`)]);
    expect([bytes, outcome, kept[1]!.flat()]).toEqual(
      outcome === 'ScriptTooLargeError' ? [bytes, outcome, []] : [bytes, String(bytes), [String(bytes)]],
    );
    outcomes.add(outcome);
  }
  expect(outcomes).toContain('ScriptTooLargeError');
  expect(outcomes).toContain('400');
});

test('a script is a transaction that was begun by words, which no procedure can end', async () => {
  const pools = poolsOf({ perProject: 1 });
  const owner = statement("select set_config('role', 'service_role', true)");
  const limits = { rows: 10, bytes: 10_000 };
  const ends = [owner, statement('create table ended (id int)'), statement('do $$ begin commit; end $$')];
  await expect(pools.runScript(one, ends, limits)).rejects.toMatchObject({ code: '2D000' });
  const deferred = [
    owner,
    statement('create table twice (id int unique deferrable initially deferred)'),
    statement('insert into twice values (1), (1)'),
  ];
  await expect(pools.runScript(one, deferred, limits)).rejects.toMatchObject({ code: '23505' });
  const left = statement("select to_regclass('public.ended'), to_regclass('public.twice')");
  expect(await pools.runScript(one, [owner, left], limits)).toMatchObject({ rows: [[null, null]], rowCount: 1 });
  expect(await pools.run(one, [statement('select current_user')])).toEqual([[[one.roleName]]]);
});
