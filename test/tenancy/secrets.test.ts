import { afterAll, afterEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { asAdministrator } from '../project-data/as-user.ts';
import { expectState, hostileWorld, made, madeAsLogin } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);
afterEach(neighbourIsWell);
const apikey = service.actors.apikey(hostile.anonKey);
const signUp = (email: string) =>
  service.call<{ access_token?: string }>(apikey, 'POST', '/auth/v1/signup', {
    body: { email, password: 'correct horse battery' },
  });
const logIn = (email: string, password = 'correct horse battery') =>
  service.call<{ access_token?: string }>(apikey, 'POST', '/auth/v1/token?grant_type=password', {
    body: { email, password },
  });

test.each(
  [
    'users',
    'identities',
    'passkeys',
    'sessions',
    'refresh_tokens',
    'challenges',
    'throttles',
    'settings',
    'signing_keys',
  ].flatMap((table) => [
    `select * from auth.${table}`,
    `delete from auth.${table}`,
    `truncate auth.${table}`,
    `lock table auth.${table}`,
    `alter table auth.${table} owner to service_role`,
    `alter table auth.${table} disable trigger all`,
    `drop table auth.${table}`,
    `create rule r as on update to auth.${table} do instead nothing`,
  ]),
)('what sign-in keeps is closed to the tenant: %s', async (statement) => {
  expectState(await hostile.send(made(statement)), '42501');
  expectState(await hostile.send(madeAsLogin(statement)), '42501');
});

test.each([
  "insert into auth.users (email) values ('mallory@example.com')",
  "update auth.users set password_hash = 'x'",
  'create policy p on auth.users',
  'create index on auth.users (email)',
  'create trigger t before insert on auth.users for each row execute function suppress_redundant_updates_trigger()',
  'grant select on auth.users to anon',
  'create table auth.mine (id int)',
  'create function auth.mine() returns int language sql as $f$select 1$f$',
  'create or replace function auth.uid() returns uuid language sql as $f$select null::uuid$f$',
  'alter function auth.uid() owner to service_role',
  'alter function auth.claims() set search_path = public',
  'drop function auth.uid()',
  'alter schema auth rename to taken',
  'drop schema auth cascade',
  'create table _svc.mine (id int)',
  'create or replace function _svc.note_ddl() returns event_trigger language plpgsql as $f$begin end$f$',
  'select _svc.count_ddl_change()',
  'update _svc.schema_version set version = 99',
  'update _svc.ddl_version set version = 0',
  'insert into _svc.ddl_changes values (pg_current_xact_id())',
  'select * from _svc.sql_runs',
  "insert into _svc.sql_runs (id) values ('x')",
  'drop schema _svc cascade',
  'alter event trigger svc_note_ddl disable',
  'alter event trigger svc_refuse_ddl disable',
  'drop event trigger svc_refuse_ddl',
  'alter schema public owner to service_role',
  'drop schema public cascade',
  'create schema mine',
  'create function pg_catalog.mine() returns int language sql as $f$select 1$f$',
  'create operator pg_catalog.=== (leftarg = text, rightarg = text, function = texteq)',
  'create cast (text as int) with inout as implicit',
  'alter function pg_catalog.lower(text) owner to service_role',
  'update pg_catalog.pg_proc set proowner = 1',
  'delete from pg_catalog.pg_event_trigger',
])('what the platform put there stays its own: %s', async (statement) => {
  expectState(await hostile.send(made(statement)), '42501');
});

test.each([
  'grant select on mine to anon',
  'grant all on mine to public',
  'revoke all on mine from service_role',
  'alter default privileges grant all on tables to anon',
  'alter default privileges grant execute on functions to public',
  'drop owned by service_role',
  'grant usage on schema public to svc_auth',
])('no SQL that SQL makes says who may do what: %s', async (statement) => {
  await hostile.sql('create table if not exists mine (id int)');
  for (const text of [
    made(statement),
    madeAsLogin(statement),
    `create or replace function go() returns void language plpgsql as $$ begin execute '${statement}'; end $$; select go()`,
    `create or replace function go() returns void language plpgsql as $$ begin execute '${statement}'; end $$;
     create or replace function around() returns void language sql as 'select go()'; select around()`,
  ])
    expectState(await hostile.send(text), '42501');
  expect(await hostile.anon('GET', 'mine')).toMatchObject({ status: 403, body: { code: 'TABLE_NOT_EXPOSED' } });
});

test('a table or function that is made after all of that is as dark as ever', async () => {
  await hostile.sql("create table later (id int); create function later_f() returns int language sql as 'select 1'");
  expect(await hostile.anon('GET', 'later')).toMatchObject({ status: 403 });
  expect(await hostile.anon('POST', 'rpc/later_f', { body: {} })).toMatchObject({ status: 403 });
});

/** Everything that a name in one of the platform's statements could be taken for, and where a tenant can put it. */
const impostors = [
  'create function set_config(text, text, boolean) returns text language sql as $$ select raise_it() $$',
  'create function num_nulls(variadic text[]) returns int language sql as $$ select raise_it()::int $$',
  'create function has_table_privilege(name, oid, text) returns boolean language sql as $$ select raise_it()::boolean $$',
  'create function lower(varchar) returns text language sql as $$ select raise_it() $$',
  'create function now(int default 1) returns timestamptz language sql as $$ select raise_it()::timestamptz $$',
  'create function gen_random_uuid(int default 1) returns uuid language sql as $$ select raise_it()::uuid $$',
  'create function mul(int, interval) returns interval language sql as $$ select raise_it()::interval $$',
  'create operator * (leftarg = int, rightarg = interval, function = mul)',
  'create function same(varchar, text) returns boolean language sql as $$ select raise_it()::boolean $$',
  'create operator = (leftarg = varchar, rightarg = text, function = same)',
  'create function same(uuid, text) returns boolean language sql as $$ select raise_it()::boolean $$',
  'create operator = (leftarg = uuid, rightarg = text, function = same)',
  'create domain users as text check (raise_it() is null)',
  'create table sessions (id int)',
  'create table schema_version (version int)',
  'create view pg_class as select 1 as oid',
  'create type timestamptz as (id int)',
];

test('what a tenant names like the platform’s own is never taken for it', async () => {
  expect((await signUp('ada@example.com')).status).toBeLessThan(300);
  await hostile.sql('create table seen (by text); create table shown (id int); insert into shown values (1)');
  await hostile.sql(
    `create function raise_it() returns text language plpgsql security definer as $$ begin raise exception 'an impostor ran as %', session_user; end $$`,
  );
  for (const text of impostors) await hostile.sql(text);
  expect(
    (await hostile.expose({ tables: [{ name: 'shown', expose: true, policy: 'public_read_append_only' }] })).status,
  ).toBe(200);
  // New sessions too: what is prepared on an old one was looked up before.
  await service.app.services.projectPools.forget({ databaseName: hostile.databaseName });
  await service.app.services.authPools.forget({ databaseName: hostile.databaseName });
  const { status, body } = await logIn('ada@example.com');
  expect(status).toBe(200);
  expect((await logIn('ada@example.com', 'wrong')).status).toBeGreaterThanOrEqual(400);
  expect((await signUp('bob@example.com')).status).toBeLessThan(300);
  expect((await hostile.anon('GET', 'shown')).body).toEqual([{ id: 1 }]);
  expect((await hostile.anon('POST', 'shown', { body: { id: 2 } })).status).toBe(201);
  const user = service.actors.bearer(body.access_token!);
  expect((await service.call(user, 'GET', '/auth/v1/user', { headers: { apikey: hostile.anonKey } })).status).toBe(200);
  expect((await hostile.exposed()).body.source).toBe('applied');
  expect(await hostile.sql('select count(*) from shown')).toEqual([{ count: 2 }]);
  expect((await service.call(hostile.key, 'GET', `${hostile.base}/schema`)).status).toBe(200);
});

test('claims that SQL forges are its own transaction’s, and no one else’s', async () => {
  const forged = `'{"sub":"11111111-1111-1111-1111-111111111111","role":"project_admin"}'`;
  await hostile.sql(
    `create table owned (id int, owner uuid); insert into owned values (1, '11111111-1111-1111-1111-111111111111');
     create function forge() returns int language sql as $$ select 1 from set_config('request.jwt.claims', ${forged.replaceAll("'", "''").replaceAll("''", "'")}, false) $$`,
  );
  expect(
    (
      await hostile.expose({
        tables: [{ name: 'owned', expose: true, policy: 'user_owns_rows', owner_column: 'owner' }],
        rpcs: [{ name: 'forge', signature: '()', grant_to: ['anon'] }],
      })
    ).status,
  ).toBe(200);
  for (let round = 0; round < 20; round++) {
    await hostile.sql(`select set_config('request.jwt.claims', ${forged}, false)`);
    expect((await hostile.anon('POST', 'rpc/forge', { body: {} })).status).toBe(200);
    expect((await hostile.anon('GET', 'owned')).body).toEqual([]);
    expect(await hostile.sql("select nullif(current_setting('request.jwt.claims', true), '') as left")).toEqual([
      { left: null },
    ]);
  }
});

test('the manifest that SQL may write is looked at before it is believed', async () => {
  await hostile.sql(`insert into _svc.manifest (manifest) values ('{"tables": [{"name": "x; drop table y"}]}')
    on conflict (one) do update set manifest = excluded.manifest`);
  expect((await hostile.exposed()).body).toMatchObject({ status: 'ok', source: 'introspected' });
});

test('the administrator sees that nothing was given away', async () => {
  expect(
    await asAdministrator(service, hostile, [
      `select c.relname from pg_class c, aclexplode(c.relacl) a where c.relnamespace in ('auth'::regnamespace)
         and a.grantee in (0, 'anon'::regrole, 'authenticated'::regrole, 'project_admin'::regrole, 'service_role'::regrole)`,
    ]),
  ).toEqual([]);
});
