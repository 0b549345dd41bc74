import { afterAll, afterEach, expect, test } from 'vitest';
import { giveRateBack } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { connectAs, hostileWorld, made, madeAsLogin } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);
afterEach(neighbourIsWell);
await hostile.sql(`create table shown (id int, owner uuid); insert into shown values (1, null);
  create function whoami() returns jsonb language sql stable as $$ select jsonb_build_object(
    'user', current_user, 'path', current_setting('search_path'), 'timeout', current_setting('statement_timeout'),
    'isolation', current_setting('transaction_isolation'), 'style', current_setting('datestyle'),
    'replaced', current_setting('default_transaction_read_only'), 'own', nullif(current_setting('app.own', true), '')) $$`);
const manifest = {
  tables: [{ name: 'shown', expose: true, policy: 'public_read_append_only' }],
  rpcs: [{ name: 'whoami', signature: '()', grant_to: ['anon'] }],
};
expect((await hostile.expose(manifest)).status).toBe(200);
const asAnon = async () => (await hostile.anon('GET', 'rpc/whoami')).body;
const usual = await asAnon();

/** All that SQL may leave on a session, looked at by whoever has it next. */
const left = `select current_user as role, current_setting('search_path') as path,
  nullif(current_setting('app.own', true), '') as own, nullif(current_setting('request.jwt.claims', true), '') as claims,
  current_setting('statement_timeout') as timeout, current_setting('row_security') as secured,
  (select count(*) from pg_prepared_statements where name not like 'rows\\_%') as prepared,
  (select count(*) from pg_cursors where is_holdable) as cursors,
  (select count(*) from pg_listening_channels()) as channels`;
const [untouched] = await hostile.sql(left);
/** Locks that sessions of the project hold, asked for by somebody who may see them. */
const locks = () =>
  service.control.sql(
    `select l.pid from pg_locks l join pg_database d on d.oid = l.database join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and d.datname = $1 and a.usename = $2`,
    [hostile.databaseName, hostile.roleName],
  );

test.each([
  "select set_config('role', 'anon', false)",
  "select set_config('app.own', 'left', false)",
  'select set_config(\'request.jwt.claims\', \'{"sub":"x"}\', false)',
  "select set_config('search_path', 'auth', false)",
  'set statement_timeout = 1000',
  'set row_security = off',
  "set datestyle = 'SQL, DMY'",
  'set default_transaction_read_only = on',
  "set default_transaction_isolation = 'serializable'",
  made('set role anon'),
  made('reset role'),
  made('set search_path to auth'),
  made('set session authorization default'),
  'prepare left_behind as select 1',
  'declare left_behind cursor with hold for select 1',
  made('listen left_behind'),
  'select pg_advisory_lock(42)',
])('what SQL leaves on its session is gone for whoever has it next: %s', async (text) => {
  for (let round = 0; round < 3; round++) expect((await hostile.send(text)).status).toBe(200);
  for (let round = 0; round < 10; round++) {
    // More is asked here than a project may in a second.
    giveRateBack(service, hostile.projectId);
    expect(await hostile.sql(left)).toEqual([untouched]);
    expect(await asAnon()).toEqual(usual);
    expect((await hostile.anon('GET', 'shown?select=id')).body).toEqual([{ id: 1 }]);
  }
  // A session is emptied behind the answer.
  await expect.poll(locks).toEqual([]);
});

test.each([
  'set statement_timeout = 1',
  "set search_path = 'auth'",
  'set default_transaction_read_only = on',
  "set role = 'anon'",
  'set row_security = off',
  "set datestyle = 'SQL, DMY'",
  "set app.own = 'kept'",
  // With this one no session would open at all.
  "set local_preload_libraries = 'nothing_of_that_name'",
])('what a login sets for its own later sessions is set back before anything runs in one: %s', async (setting) => {
  const { status, body } = await hostile.send(madeAsLogin(`alter role ${hostile.roleName} ${setting}`));
  // A parameter of one's own cannot be set for a role without the right to.
  if (setting.includes('app.own')) expect(body.details).toMatchObject({ sqlstate: '42501' });
  else expect(status).toBe(200);
  await service.app.services.projectPools.forget({ databaseName: hostile.databaseName });
  expect(await hostile.sql(left)).toEqual([untouched]);
  expect(await asAnon()).toEqual(usual);
  const kept = await service.control.sql<{ setting: string }>(
    'select unnest(setconfig) as setting from pg_db_role_setting s join pg_roles r on r.oid = s.setrole where rolname = $1',
    [hostile.roleName],
  );
  expect(kept).toEqual([{ setting: 'temp_file_limit=1GB' }]);
});

test('a password that a login gives itself locks nobody out', async () => {
  expect((await hostile.send(madeAsLogin(`alter role ${hostile.roleName} password 'taken'`))).status).toBe(200);
  await service.app.services.projectPools.forget({ databaseName: hostile.databaseName });
  expect(await hostile.sql('select 1 as one')).toEqual([{ one: 1 }]);
  const url = new URL(hostile.loginUrl);
  url.password = 'taken';
  await expect(connectAs(url.href)).rejects.toMatchObject({ code: '28P01' });
});

test('what a tenant writes on the roles that all share, another cannot read', async () => {
  await hostile.send(made("alter role service_role set application_name = 'pass it on'"));
  for (const from of ['pg_roles', 'pg_user', 'pg_db_role_setting'])
    expect(await hostile.send(`select * from ${from}`)).toMatchObject({ status: 400 });
  expect(await hostile.sql("select current_setting('application_name') as name")).toEqual([
    { name: 'svc-gateway rows' },
  ]);
  await service.control.sql('alter role service_role reset all');
});
