import { afterAll, afterEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { connectAs, expectState, hostileWorld, made, madeAsLogin } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbour, neighbourIsWell, connections } = await hostileWorld(service);
afterEach(neighbourIsWell);
const theirs = { database: neighbour.databaseName, role: neighbour.roleName };

test.each([
  'pg_authid',
  'pg_shadow',
  'pg_roles',
  'pg_user',
  'pg_group',
  'pg_auth_members',
  'pg_db_role_setting',
  'pg_database',
  'pg_tablespace',
  'pg_stat_activity',
  'pg_stat_database',
  'pg_stat_replication',
  'pg_stat_ssl',
  'pg_stat_io',
  'pg_stat_progress_vacuum',
  'pg_locks',
  'pg_prepared_xacts',
  'pg_replication_slots',
  'pg_shdepend',
  'pg_shdescription',
  'pg_stat_get_activity(null)',
  'pg_stat_get_backend_idset()',
  'pg_lock_status()',
  "pg_tablespace_size('pg_default')",
  `pg_database_size('${theirs.database}')`,
  'pg_stat_get_db_numbackends(1)',
])('what the databases of a server share is closed: %s', async (from) => {
  expectState(await hostile.send(`select * from ${from}`), '42501');
  expectState(await hostile.send(madeAsLogin(`select * from ${from}`)), '42501');
});

test('nobody keeps statistics of statements, which would show those of others', async () => {
  expectState(await hostile.send('select * from pg_stat_statements'), '42P01');
});

test.each([
  'set role postgres',
  `set role ${theirs.role}`,
  'set role svc_auth',
  'set session authorization postgres',
  `set session authorization ${theirs.role}`,
  'create role mine',
  'create role mine superuser login',
  `grant service_role to ${theirs.role}`,
  'grant svc_auth to service_role',
  `alter role ${theirs.role} password 'x'`,
  `alter role ${theirs.role} set search_path = x`,
  `alter role ${theirs.role} nologin`,
  'alter role postgres nologin',
  `drop role ${theirs.role}`,
  `alter role ${hostile.roleName} superuser`,
  `alter role ${hostile.roleName} bypassrls`,
  `alter role ${hostile.roleName} createdb`,
  `alter role ${hostile.roleName} createrole`,
  `alter role ${hostile.roleName} replication`,
  `alter role ${hostile.roleName} connection limit -1`,
  `alter role ${hostile.roleName} set temp_file_limit = -1`,
  `alter role ${hostile.roleName} set session_preload_libraries = 'x'`,
  `alter role ${hostile.roleName} set log_statement = 'none'`,
  'alter role all set statement_timeout = 1',
  'alter role anon set statement_timeout = 1',
  `alter database ${theirs.database} set statement_timeout = 1`,
  `alter database ${theirs.database} rename to taken`,
  `alter database ${theirs.database} allow_connections false`,
  `alter database ${hostile.databaseName} set statement_timeout = 1`,
  `alter database ${hostile.databaseName} connection limit -1`,
  `comment on database ${hostile.databaseName} is 'x'`,
  "comment on role service_role is 'x'",
])('no role or database is another’s to change: %s', async (statement) => {
  expectState(await hostile.send(madeAsLogin(statement)), '42501');
  expectState(await hostile.send(made(statement)), '42501');
});

test('a role that is named as a setting is refused as one that is set', async () => {
  for (const name of ['role', 'session_authorization'])
    for (const role of ['postgres', 'svc_auth', theirs.role])
      expectState(await hostile.send(`select set_config('${name}', '${role}', false)`), '42501');
});

test('sessions of others can be neither ended nor stopped, and stay as they are', async () => {
  await neighbourIsWell();
  const before = await connections();
  expect(before.length).toBeGreaterThan(0);
  for (const act of ['pg_terminate_backend', 'pg_cancel_backend', 'pg_log_backend_memory_contexts'])
    for (const pid of before) {
      expectState(await hostile.send(`select ${act}(${pid})`), '42501');
      expectState(await hostile.send(madeAsLogin(`select ${act}(${pid})`)), '42501');
    }
  await neighbourIsWell();
  expect(await connections()).toEqual(expect.arrayContaining(before));
});

test('a login enters its own database and no other, not even with its password', async () => {
  const own = await connectAs(hostile.loginUrl);
  await own.end();
  const [control] = await service.control.sql<{ name: string }>('select current_database() as name');
  for (const name of [theirs.database, 'postgres', 'template1', control!.name]) {
    const url = new URL(hostile.loginUrl);
    url.pathname = `/${name}`;
    await expect(connectAs(url.href)).rejects.toMatchObject({ code: '42501' });
  }
});

test('an advisory lock is of one database: the same number is free next door', async () => {
  const mine = await connectAs(hostile.loginUrl);
  try {
    await mine.query('select pg_advisory_lock(7306011), pg_advisory_lock(1, 2)');
    expect(await hostile.sql('select pg_try_advisory_lock(7306011) as free')).toEqual([{ free: false }]);
    expect(
      await neighbour.sql('select pg_try_advisory_lock(7306011) as one, pg_try_advisory_lock(1, 2) as two'),
    ).toEqual([{ one: true, two: true }]);
    expect((await neighbour.expose({ tables: [quiet] })).status).toBe(200);
  } finally {
    await mine.end();
  }
});
const quiet = { name: 'quiet', expose: true, policy: 'public_read_authenticated_write' };

test('a notification stays in its database', async () => {
  const next = await connectAs(neighbour.loginUrl);
  const mine = await connectAs(hostile.loginUrl);
  const heard: unknown[] = [];
  next.on('notification', ({ payload }) => heard.push(payload));
  const own = new Promise((resolve) => mine.once('notification', resolve));
  await Promise.all([next.query('listen news'), mine.query('listen news')]);
  await hostile.sql("select pg_notify('news', 'from next door')");
  await own;
  await neighbour.sql("select pg_notify('news', 'from home')");
  while (heard.length === 0) await next.query('select 1');
  expect(heard).toEqual(['from home']);
  await Promise.all([next.end(), mine.end()]);
});
