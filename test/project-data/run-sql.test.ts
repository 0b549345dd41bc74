import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { send, sql, withParams, base } = project;

test('several statements are one transaction, and the last of them is answered', async () => {
  const { status, body } = await send(`
    create table notes (id serial primary key, title text not null, ücü int);
    -- a comment; with a semicolon
    insert into notes (title, ücü) values ('one; two', 1), ('ẞ', 2);
    select id, title, ücü from notes order by id`);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: 'ok',
      schema: 'public',
      rows: [
        { id: 1, title: 'one; two', ücü: 1 },
        { id: 2, title: 'ẞ', ücü: 2 },
      ],
      row_count: 2,
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'title', type: 'text' },
        { name: 'ücü', type: 'int4' },
      ],
    },
  });
  const failed = await send("insert into notes (title) values ('three'); insert into notes (title) values (null)");
  expectRefusal(failed, 'SQL_ERROR', { sqlstate: '23502', table: 'notes', column: 'title' });
  expect(await sql('select count(*) from notes')).toEqual([{ count: 2 }]);
});

test('of two columns with one name no value is lost: rows are lists, too', async () => {
  const fields = ['id', 'id', 'name'].map((name) => ({ name, type: name === 'id' ? 'int4' : 'text' }));
  const rows = [{ id: 2, name: 'b' }];
  const twice = "select 1 as id, 2 as id, 'b' as name";
  expect((await send(twice)).body).toMatchObject({ rows, fields, values: [[1, 2, 'b']] });
  expect((await send('select 1 as id')).body).not.toHaveProperty('values');
  const each = await service.call(project.key, 'POST', `${base}/sql`, { body: { sql: twice, each: true } });
  expect(each.body).toMatchObject({ results: [{ rows, values: [[1, 2, 'b']] }] });
});

test('a statement without a result has no rows; changes are counted', async () => {
  await sql('create table counted (id int)');
  expect((await send('create table empty ()')).body).toMatchObject({ rows: [], row_count: null, fields: [] });
  expect((await send('insert into counted select generate_series(1, 7)')).body).toMatchObject({
    rows: [],
    row_count: 7,
  });
  expect((await send('delete from counted where id > 5 returning id')).body).toMatchObject({
    rows: [{ id: 6 }, { id: 7 }],
    row_count: 2,
  });
  expect((await send('-- nothing')).body).toMatchObject({ rows: [], row_count: null, fields: [] });
});

test('values arrive as JSON has them, and exactly', async () => {
  await sql("create type mood as enum ('sad', 'glad')");
  const rows =
    await sql(`select 1::int8 as small, 9007199254740993 as large, 1.10::numeric as price, true as yes, 0.5::float8 as half,
    'NaN'::float8 as nan, null::int as nothing, '{"a": [1]}'::jsonb as doc, array[1, null, 3] as list,
    array['a,b', 'c"d', null, 'NULL', ''] as texts, '{{1,2},{3,4}}'::int[] as grid, 'glad'::mood as mood,
    array['sad']::mood[] as moods, '2026-03-06 01:02:03+00'::timestamptz at time zone 'utc' as plain`);
  expect(rows).toEqual([
    {
      small: 1,
      large: '9007199254740993',
      price: '1.10',
      yes: true,
      half: 0.5,
      nan: 'NaN',
      nothing: null,
      doc: { a: [1] },
      list: [1, null, 3],
      texts: ['a,b', 'c"d', null, 'NULL', ''],
      grid: [
        [1, 2],
        [3, 4],
      ],
      mood: 'glad',
      moods: ['sad'],
      plain: '2026-03-06T01:02:03',
    },
  ]);
  const { body } = await send("select 'glad'::mood as mood, now() as now, array['sad']::mood[] as moods");
  expect(body.fields).toEqual([
    { name: 'mood', type: 'mood' },
    { name: 'now', type: 'timestamptz' },
    { name: 'moods', type: '_mood' },
  ]);
  expect(body.rows[0].now).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
});

// Of the catalogs' own kind of list: an array by its type, and written without braces.
test('lists that PostgreSQL writes with blanks alone are lists, and hold nobody up', async () => {
  const rows = await sql(`select ''::oidvector as none, '23'::oidvector as one, '1 0 2'::int2vector as some,
    array['1 2', '']::int2vector[] as many, array['']::oidvector[] as empties`);
  expect(rows).toEqual([{ none: [], one: [23], some: [1, 0, 2], many: [[1, 2], []], empties: [[]] }]);
  expect(await sql("select proargtypes from pg_proc where proname = 'pg_sleep'")).toEqual([{ proargtypes: [701] }]);
});

test('a type that is called like one of PostgreSQL’s own keeps its words', async () => {
  await sql("create type public.json as enum ('open'); create type public.int4 as enum ('one')");
  expect(
    await sql("select 'open'::public.json as a, array['one', null]::public.int4[] as b, '{}'::pg_catalog.json as c"),
  ).toEqual([{ a: 'open', b: ['one', null], c: {} }]);
  await sql('drop type public.json; drop type public.int4');
});

test('JSON that is nested too deeply to be written is told as its text', async () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const [row] = await sql(
    "select repeat('[', 1000) || repeat(']', 1000) as flat, (repeat('[', 1000) || repeat(']', 1000))::json as near, (repeat('[', 6000) || repeat(']', 6000))::json as far",
  );
  expect(row).toEqual({ flat: deep(1000), near: JSON.parse(deep(1000)), far: deep(6000) });
});

test('parameters are values and never SQL', async () => {
  const evil = "'; drop table notes; --";
  const { body } = await withParams(
    'select $1::text as text, $2::int as number, $3::jsonb as doc, $4::text[] as list',
    [evil, 7, { a: [1, 'x'] }, ['a"b', null, '\\']],
  );
  expect(body.rows).toEqual([{ text: evil, number: 7, doc: { a: [1, 'x'] }, list: ['a"b', null, '\\'] }]);
  expectRefusal(await withParams('select $1::int; select 2', [1]), 'VALIDATION_FAILED', { field: 'params' });
  expectRefusal(await withParams('select $2::int', [1]), 'SQL_ERROR');
  expectRefusal(await withParams('select $1::int', ['x']), 'SQL_ERROR', { sqlstate: '22P02' });
});

test('what PostgreSQL says of a mistake is passed on, with its place', async () => {
  expectRefusal(await send('select 1;\nselekt 2'), 'SQL_ERROR', { sqlstate: '42601', position: 11 });
  expectRefusal(await send("select 'ẞ😀';\nselekt 2"), 'SQL_ERROR', { sqlstate: '42601', position: 14 });
  const unknown = await send('select titel from (select 1 as title) t');
  expectRefusal(unknown, 'SQL_ERROR', { sqlstate: '42703', hint: expect.stringContaining('title') });
  expect(unknown.body.hint).toContain('title');
  expectRefusal(await send("do $$ begin raise exception 'no' using hint = 'try', detail = 'so'; end $$"), 'SQL_ERROR', {
    sqlstate: 'P0001',
    message: 'no',
    detail: 'so',
    hint: 'try',
  });
});

test.each([
  ['what cannot be parsed', "select 'ẞ😀';\n  selekt 2", 'syntax error at or near "selekt"', 16, 2, 3],
  ['what only the database knows to be wrong', 'select titel', 'column "titel" does not exist', 8, 1, 8],
  ['a later statement', "select 'ẞ😀';\n\nselect 1,\n  titel", 'column "titel" does not exist', 27, 4, 3],
  ['what begins with BEGIN', 'begin;\nselect 1;\nselect titel;\ncommit', 'column "titel" does not exist', 25, 3, 8],
])('the place of a mistake is told in the whole text: %s', async (_case, sql, message, position, line, column) => {
  const refused = await send(sql);
  expectRefusal(refused, 'SQL_ERROR', { message, position, location: { line, column } });
  expect(refused.body.message).toBe(message);
  expect(refused.body.next_actions).toEqual([{ type: 'edit_request', why: 'Correct the SQL and send it again.' }]);
});

test('the schema that is answered is one by which SQL finds the tables', async () => {
  const { body } = await send('create table found_by_schema (id int)');
  expect(await sql(`select * from ${body.schema}.found_by_schema`)).toEqual([]);
});

test('what is refused by name says what to do instead', async () => {
  for (const [text, hint] of [
    ['set search_path to auth', 'A project has one schema'],
    ['reset search_path', 'A project has one schema'],
    ['set role anon', 'A request has its role from its credential'],
  ] as const)
    expect((await send(text)).body.hint).toContain(hint);
});

test.each([
  ['create extension pg_trgm', 'CREATE EXTENSION'],
  ["copy notes from program 'ls'", 'COPY'],
  ["copy (select 1) to '/tmp/x'", 'COPY'],
  ['copy notes from stdin', 'COPY'],
  ["alter system set work_mem = '1GB'", 'ALTER SYSTEM'],
  ['set search_path to auth', 'SET search_path'],
  ['set local search_path to auth', 'SET search_path'],
  ['set role anon', 'SET role'],
  ['reset role', 'RESET role'],
  ['reset all', 'RESET ALL'],
  ['set session authorization postgres', 'SET SESSION AUTHORIZATION'],
  ['create schema other', 'CREATE SCHEMA'],
  ['drop schema public cascade', 'DROP SCHEMA'],
  ['grant select on notes to anon', 'GRANT and REVOKE'],
  ['revoke all on notes from service_role', 'GRANT and REVOKE'],
  ['grant service_role to anon', 'GRANT and REVOKE'],
  ['alter default privileges grant select on tables to anon', 'ALTER DEFAULT PRIVILEGES'],
  ['alter table notes owner to anon', 'OWNER TO'],
  ["alter role service_role password 'x'", 'ALTER ROLE'],
  ['create role evil', 'CREATE ROLE'],
  ['drop owned by service_role', 'DROP OWNED'],
  ['commit', 'Transaction control'],
  ['select 1; rollback; select 2', 'Transaction control'],
  ['/* x */ GRANT/**/SELECT ON notes TO anon', 'GRANT and REVOKE'],
  ['do $$ begin grant select on notes to anon; end $$', 'GRANT and REVOKE'],
  ["do language plpgsql 'begin if true then set role anon; end if; end'", 'SET role'],
  [
    'create function f() returns void language plpgsql as $$ begin revoke all on notes from anon; end $$',
    'GRANT and REVOKE',
  ],
  ["create function f() returns void language sql as 'grant select on notes to anon'", 'GRANT and REVOKE'],
  ["do $$ #option dump\nbegin perform 'forged'; end $$", '#option'],
  ["do $$ -- a\n #variable_conflict use_column\n# /* b */ OPTION dump\nbegin perform 'forged'; end $$", '#option'],
  ["create function f() returns void language plpgsql as '#option dump begin end'", '#option'],
])('%s is refused by name, and nothing beside it is done', async (text, construct) => {
  const answer = await send(`create table beside (id int); ${text}`);
  expect(answer).toMatchObject({
    status: 403,
    body: { error: 'sql_blocked', code: 'FORBIDDEN', details: { construct }, hint: expect.any(String) },
  });
  expect(await sql("select to_regclass('beside') as beside")).toEqual([{ beside: null }]);
});

test('a body may say how its variables and columns are told apart, and name a column “option”', async () => {
  const ran = await sql(`
    create function chosen(option int) returns int language plpgsql as $$
      #variable_conflict use_variable
      #print_strict_params on
      declare flags int;
      begin select 5 # option into flags; return flags; end $$;
    select chosen(1)`);
  expect(ran).toEqual([{ chosen: 4 }]);
});

test.each([
  "do $$ begin execute 'create extension pg_trgm'; end $$",
  "do $$ begin execute 'alter system set work_mem = 1'; end $$",
  "do $$ begin execute 'copy notes to program ''ls'''; end $$",
  "do $$ begin execute 'create schema other'; end $$",
  "do $$ begin execute 'drop schema _svc cascade'; end $$",
  "do $$ begin execute 'create role evil'; end $$",
  "do $$ begin execute 'drop event trigger svc_note_ddl'; end $$",
  "do $$ begin execute 'alter event trigger svc_note_ddl disable'; end $$",
  "select set_config('session_replication_role', 'replica', false)",
  "select set_config('event_triggers', 'off', false)",
  "select pg_read_file('/etc/passwd')",
  'update _svc.ddl_version set version = 0',
  'insert into _svc.ddl_changes values (pg_current_xact_id())',
  'create table _svc.mine (id int)',
  'create table auth.mine (id int)',
  'vacuum notes',
  'create procedure p() language plpgsql as $$ begin commit; end $$; call p()',
])('what is no business of a tenant fails by its rights alone: %s', async (text) => {
  expect(await send(text)).toMatchObject({ status: 400, body: { code: 'SQL_ERROR' } });
});

test('a BEGIN and COMMIT around everything say what is so anyway', async () => {
  const rows = await sql('begin; create table bracketed (id int); commit;');
  expect(rows).toEqual([]);
  expect(await sql("select to_regclass('bracketed')::text as name")).toEqual([{ name: 'bracketed' }]);
});

test('a role or setting that SQL leaves behind is gone with the request', async () => {
  await sql(
    "select set_config('role', 'anon', false), set_config('search_path', 'auth', false), set_config('a.b', 'c', false)",
  );
  for (let round = 0; round < 20; round++)
    expect(
      await sql(
        "select current_user, current_setting('search_path') as path, nullif(current_setting('a.b', true), '') as left",
      ),
    ).toEqual([{ current_user: 'service_role', path: 'public', left: null }]);
});

test('the platform admin reads, and every write is refused', async () => {
  const { admin } = service.actors;
  await sql('create table watched (id int); insert into watched values (1)');
  const ask = (text: string) =>
    service.call<Record<string, unknown>>(admin, 'POST', `${base}/sql`, {
      body: text,
      headers: { 'content-type': 'text/plain' },
    });
  expect(await ask('select * from watched')).toMatchObject({ status: 200, body: { rows: [{ id: 1 }] } });
  for (const text of [
    'insert into watched values (2)',
    'create table other (id int)',
    'drop table watched',
    'with gone as (delete from watched returning id) select * from gone',
    "do $$ begin execute 'delete from watched'; end $$",
  ])
    expectRefusal(await ask(text), 'ADMIN_SQL_READ_ONLY');
  expectRefusal(await ask("select set_config('transaction_read_only', 'off', true); delete from watched"), 'SQL_ERROR');
  expectRefusal(await ask('set transaction read write; delete from watched'), 'SQL_ERROR');
  expect(await sql('select * from watched')).toEqual([{ id: 1 }]);
});

test('an answer of more than ten thousand rows is refused by name, and nothing is changed', async () => {
  await sql('create table many (id int)');
  const refused = await send('insert into many select generate_series(1, 10001) returning id');
  expectRefusal(refused, 'RESULT_TOO_LARGE', { limit: 10_000, of: 'rows' });
  expectRefusal(await send('insert into many values (1); select generate_series(1, 10001)'), 'RESULT_TOO_LARGE');
  expect(await sql('select count(*) from many')).toEqual([{ count: 0 }]);
  expect(await sql('insert into many select generate_series(1, 10000) returning id')).toHaveLength(10_000);
});

test('an answer of too many bytes is refused by name, in one row or in many', async () => {
  const limit = { limit: 32 * 1024 * 1024, of: 'bytes' };
  expectRefusal(await send("select repeat('x', 100000000)"), 'RESULT_TOO_LARGE', limit);
  expectRefusal(await send("select repeat('x', 10000) from generate_series(1, 9000)"), 'RESULT_TOO_LARGE', limit);
  expectRefusal(
    await send("select repeat('x', 10000) from generate_series(1, 9000); select 1"),
    'RESULT_TOO_LARGE',
    limit,
  );
  expect(await sql('select 1 as one')).toEqual([{ one: 1 }]);
});

test('an answer that arrives in few bytes is refused by what it would be once it is written', async () => {
  const columns = Array.from({ length: 1_600 }, (_, at) => `null as ${`c${at}_`.padEnd(63, 'x')}`).join();
  const bytes = { limit: 32 * 1024 * 1024, of: 'bytes' };
  expectRefusal(await send(`select ${columns} from generate_series(1, 400)`), 'RESULT_TOO_LARGE', bytes);
  expectRefusal(await send(String.raw`select repeat(E'\x01', 6000000)`), 'RESULT_TOO_LARGE', bytes);
  const values = { limit: 500_000, of: 'values' };
  for (const one of [
    "('[' || repeat('{},', 300000) || '1]')::json",
    "('[' || repeat('1,', 600000) || '1]')::jsonb",
    "('{' || repeat('{1},', 300000) || '{1}}')::int[]",
    "repeat('1 ', 600000)::int2vector",
  ])
    expectRefusal(await send(`select ${one} as a`), 'RESULT_TOO_LARGE', values);
  await sql('create table kept (id int)');
  await send("insert into kept values (1); select ('[' || repeat('1,', 600000) || '1]')::json");
  expect(await sql('select count(*) from kept')).toEqual([{ count: 0 }]);
  // Words that look like lists are words.
  const [{ a }] = await sql("select repeat('{,', 1000000) as a");
  expect(a).toHaveLength(2_000_000);
});

test('SQL nested too deeply, or of too many statements, is refused', async () => {
  expectRefusal(await send(`select ${'('.repeat(20_000)}1${')'.repeat(20_000)}`), 'SQL_ERROR');
  expectRefusal(await send(`select ${'1+'.repeat(100_000)}1`), 'SQL_ERROR');
  expectRefusal(await send('select 1;'.repeat(2_001)), 'VALIDATION_FAILED', { field: 'sql' });
  expectRefusal(await send(''), 'VALIDATION_FAILED', { field: 'sql', reason: 'at least 1 character' });
});

test('a body that is neither text nor JSON, or not UTF-8, is refused', async () => {
  const post = (body: Uint8Array | string, type: string) =>
    service.call(project.key, 'POST', `${base}/sql`, { body, headers: { 'content-type': type } });
  expectRefusal(await post('select 1', 'application/sql'), 'UNSUPPORTED_MEDIA_TYPE');
  expectRefusal(await post(new Uint8Array([0x73, 0xff]), 'text/plain'), 'UNSUPPORTED_MEDIA_TYPE');
  expectRefusal(await post('select 1', 'text/plain; charset=latin1'), 'UNSUPPORTED_MEDIA_TYPE');
  expectRefusal(await post('select 1\0', 'text/plain'), 'VALIDATION_FAILED', { field: 'sql' });
  expect((await post('select 1', 'text/plain; charset=UTF-8')).status).toBe(200);
});

test('the anon key, another project’s key and a stranger are refused', async () => {
  const other = await service.project();
  const ask = (actor: Parameters<typeof service.call>[0]) =>
    service.call(actor, 'POST', `${base}/sql`, { body: { sql: 'select 1' } });
  expectRefusal(await ask(service.actors.bearer(project.anonKey)), 'AUTH_REQUIRED');
  expectRefusal(await ask(service.actors.bearer(other.serviceKey)), 'FORBIDDEN');
  expectRefusal(await ask(other.wallet), 'NOT_AUTHORIZED');
  expectRefusal(await ask(service.actors.nobody), 'AUTH_REQUIRED');
});

test('a repeated key changes something once', async () => {
  await sql('create table once_only (id int)');
  const ask = () =>
    service.call<{ rows: unknown[] }>(project.key, 'POST', `${base}/sql`, {
      body: { sql: 'insert into once_only values (1) returning id' },
      headers: { 'idempotency-key': 'insert-once' },
    });
  expect([(await ask()).body, (await ask()).body].map(({ rows }) => rows)).toEqual([[{ id: 1 }], [{ id: 1 }]]);
  expect(await sql('select * from once_only')).toEqual([{ id: 1 }]);
});

test('a frozen organization’s SQL is refused', async () => {
  const frozen = await dataProject(service);
  await service.control.sql("update orgs set lifecycle_state = 'frozen' where id = $1", [frozen.orgId]);
  expectRefusal(await frozen.send('select 1'), 'PROJECT_FROZEN');
});

test('the graph runs SQL the same way', async () => {
  const document = `mutation ($input: RunSqlInput!) {
    runSql(input: $input) { schema rows rowCount fields { name type } }
  }`;
  const ask = (input: object) =>
    service.graphql(project.key, document, { input: { project: project.projectId, ...input } });
  expect(
    (await ask({ sql: 'select $1::int as n, $2::jsonb as doc', params: [3, { a: 1 }] })).data.runSql,
  ).toMatchObject({
    rows: [{ n: 3, doc: { a: 1 } }],
    rowCount: 1,
    fields: [
      { name: 'n', type: 'int4' },
      { name: 'doc', type: 'jsonb' },
    ],
  });
  const { errors } = await ask({ sql: 'grant select on notes to anon' });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', details: { construct: 'GRANT and REVOKE' } });
});

test('the trail tells of every run without its text', async () => {
  await sql("select 'very secret'");
  const [row] = await service.control.sql<{ details: object }>(
    "select details from audit_events where action = 'project.sql_run' and object_id = $1 order by seq desc limit 1",
    [project.projectId],
  );
  expect(row!.details).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 20, read_only: false });
});
