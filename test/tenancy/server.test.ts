import { afterAll, afterEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { expectState, hostileWorld, made } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);
await hostile.sql('create table mine (t text)');
afterEach(neighbourIsWell);

// SQL is read before it is run, and what it says is refused by name; what it makes as it runs, by its rights.
test.each([
  ["copy mine from '/etc/passwd'", 'COPY'],
  ["copy mine to program 'cat'", 'COPY'],
  ["load 'dblink'", 'LOAD'],
  ['create extension dblink', 'CREATE EXTENSION'],
  ['create extension postgres_fdw', 'CREATE EXTENSION'],
  ["alter system set shared_preload_libraries = 'x'", 'ALTER SYSTEM'],
  ["create tablespace t location '/tmp'", 'CREATE TABLESPACE'],
  ['create database other', 'CREATE DATABASE'],
])('%s is refused by name', async (text, construct) => {
  const { status, body } = await hostile.send(text);
  expect({ status, body }).toMatchObject({
    status: 403,
    body: { error: 'sql_blocked', code: 'FORBIDDEN', details: { construct } },
  });
});

test.each([
  // Programs and files of the server.
  made("copy mine from program 'cat /etc/passwd'"),
  made("copy mine to program 'cat'"),
  made("copy mine from '/etc/passwd'"),
  made("copy mine to '/tmp/taken'"),
  "select pg_read_file('/etc/passwd')",
  "select pg_read_file('postgresql.conf')",
  "select pg_read_binary_file('global/pg_control')",
  "select pg_ls_dir('.')",
  'select * from pg_ls_waldir()',
  'select * from pg_ls_tmpdir()',
  "select pg_stat_file('PG_VERSION')",
  "select lo_import('/etc/passwd')",
  "select lo_export(lo_from_bytea(0, 'x'), '/tmp/taken')",
  'select pg_current_logfile()',
  'select * from pg_file_settings',
  'select * from pg_hba_file_rules',
  "select current_setting('data_directory')",
  // Code that runs outside the rules of SQL.
  "create function f() returns int language c as 'libc', 'system'",
  "create function f() returns int language internal as 'pg_read_file'",
  made('create language plpython3u'),
  made("load 'dblink'"),
  made('create extension dblink'),
  made('create extension postgres_fdw'),
  made('create foreign data wrapper w'),
  made('create access method m type table handler heap_tableam_handler'),
  made('create event trigger e on ddl_command_end execute function public.nothing()'),
  made('create publication p'),
  // The server itself.
  'select pg_reload_conf()',
  'select pg_rotate_logfile()',
  'select pg_switch_wal()',
  'select pg_promote()',
  "select pg_create_restore_point('x')",
  "select pg_create_physical_replication_slot('x')",
  "select pg_create_logical_replication_slot('x', 'pgoutput')",
  "select pg_logical_emit_message(false, 'x', 'y')",
  'select pg_stat_reset()',
  made('checkpoint'),
  "set temp_file_limit = '-1'",
  "set log_min_messages = 'debug5'",
  "set log_statement = 'all'",
  "set session_preload_libraries = 'dblink'",
  "set dynamic_library_path = '/tmp'",
  'set session_replication_role = replica',
  'set allow_system_table_mods = on',
  "set lc_messages = 'C'",
  'create temp table t (id int)',
])('the server is out of reach: %s', async (text) => {
  expectState(await hostile.send(text), '42501');
});

test.each([
  [made('create database other'), '25001'],
  [made("create tablespace t location '/tmp'"), '25001'],
  [made("create subscription s connection 'host=127.0.0.1' publication p"), '25001'],
  [made('create server s foreign data wrapper postgres_fdw'), '42704'],
  [made("alter system set work_mem = '1GB'"), '25001'],
  [made("prepare transaction 'x'"), '0A000'],
  ['select dblink(1)', '42883'],
])('there is no such way out: %s', async (text, state) => {
  expectState(await hostile.send(text), state);
});

test('a large object is a thing of the project’s own database', async () => {
  const [{ id }] = await hostile.sql("select lo_from_bytea(0, 'mine') as id");
  expect(await hostile.sql(`select convert_from(lo_get(${id}), 'utf8') as text`)).toEqual([{ text: 'mine' }]);
  await hostile.sql(`select lo_unlink(${id})`);
});
