import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { catalogOf } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, validate, base } = project;
const call = documentedCalls(service);

beforeAll(async () => {
  await sql(`create table items (id int, owner uuid, name text, api_key text, "resetToken" text);
    create function f(a int) returns int language sql as 'select 1';
    create function f(a text) returns int language sql as 'select 1'`);
});

interface Findings {
  readonly errors: readonly { readonly type: string; readonly detail: string }[];
  readonly warnings: readonly { readonly type: string }[];
}
const types = ({ errors, warnings }: Findings) => [...errors, ...warnings].map(({ type }) => type);
const found = async (manifest: object, migration?: string) => types((await validate(manifest, migration)).body);

const items = { name: 'items', expose: true, policy: 'user_owns_rows', owner_column: 'owner' };
const notes = { name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'owner' };
const rpc = (signature: string, name = 'f') => ({ rpcs: [{ name, signature, grant_to: ['anon'] }] });

test.each<[string, string[], object]>([
  ['nothing', [], { tables: [items] }],
  ['schema-shape', ['schema-shape'], { tables: [{ ...items, extra: 1 }] }],
  ['missing-table', ['missing-table'], { tables: [{ ...items, name: 'none' }] }],
  ['missing-column', ['missing-column'], { tables: [{ ...items, owner_column: 'none' }] }],
  ['missing-column of a view', ['missing-column'], { views: [{ name: 'v', base: 'items', select: ['none'] }] }],
  ['missing-view-base', ['missing-view-base'], { views: [{ name: 'v', base: 'none', select: ['*'] }] }],
  ['missing-rpc', ['missing-rpc'], rpc('(a uuid)')],
  ['rpc by types', [], rpc('(integer)')],
  ['rpc by another spelling', [], rpc('(a pg_catalog.int4 default 7)')],
  ['ambiguous-rpc', ['ambiguous-rpc'], rpc('(a)')],
  [
    'unrestricted-ack-required',
    // What anybody could write is told besides.
    ['unrestricted-ack-required', 'sensitive-column-public-write', 'sensitive-column-public-write'],
    { tables: [{ name: 'items', expose: true, policy: 'public_read_write_UNRESTRICTED' }] },
  ],
  [
    'grant-to-role-unknown',
    ['grant-to-role-unknown'],
    { rpcs: [{ name: 'f', signature: '(int)', grant_to: ['root'] }] },
  ],
  [
    'force-owner-without-owner-column',
    ['force-owner-without-owner-column'],
    {
      tables: [{ name: 'items', expose: true, policy: 'public_read_authenticated_write', force_owner_on_insert: true }],
    },
  ],
  [
    'sensitive-column-public-write',
    ['sensitive-column-public-write', 'sensitive-column-public-write'],
    { tables: [{ name: 'items', expose: true, policy: 'public_read_append_only' }] },
  ],
])('a finding for each thing that is wrong: %s', async (_name, expected, manifest) => {
  const before = await catalogOf(project);
  expect(await found(manifest)).toEqual(expected);
  expect(await catalogOf(project)).toEqual(before);
});

const custom = (using: string, name = 'items') => ({
  tables: [
    { name, expose: true, policy: 'custom', custom_sql: `create policy p on ${name} for select using (${using})` },
  ],
});

test.each<[string, string | undefined]>([
  ['lowerr(name)', 'lowerr'],
  ['public.lowerr(name)', 'public.lowerr'],
  ['auth.uiid() = owner', 'auth.uiid'],
  ['exists (select from items i where "Mine"(i.id))', 'Mine'],
  ["owner = (select auth.uid()) and pg_catalog.lower(name) = lower('a')", undefined],
  ['f(id) = 1 and coalesce(name, trim(both from name)) = substring(name from 1 for 2)', undefined],
  ["name(items) = 'a' and extract(year from now()) > 2000 and now() at time zone 'UTC' > '2000-01-01'", undefined],
  ["text(id) = name or position('a' in name) > 0 or count_of(id) is null", undefined],
])('a function that custom_sql calls is looked for: %s', async (using, missing) => {
  await sql(`create or replace function count_of(int) returns int language sql as 'select 1'`);
  const { body } = await validate(custom(using));
  const told = body.errors.map(({ type, detail }: Record<string, string>) => [type, detail]);
  const detail = `manifest.tables[0].custom_sql: there is no function ${missing}`;
  expect(told).toEqual(missing === undefined ? [] : [['schema-shape', detail]]);
  // What is said here is so: the same is refused when it is applied.
  expect((await project.expose(custom(using))).status < 300).toBe(missing === undefined);
});

test.each<[string, string | undefined]>([
  ['lower(name, name) = name', 'no function lower takes 2 arguments'],
  ['auth.uid(1) is null', 'no function auth.uid takes 1 argument'],
  ['with_default() = 1', 'no function with_default takes 0 arguments'],
  ['with_default(1, 2, 3) = 1', 'no function with_default takes 3 arguments'],
  ['public.any_number() = 1', 'no function public.any_number takes 0 arguments'],
  ['with_default(1) = 1 and with_default(1, b => 2) = 1', undefined],
  ['any_number(1, 2, 3) = 1 and any_number(variadic array[1]) = 1', undefined],
  ['(select count(*) from items) > 0 and concat(name, 1, 2) is not null', undefined],
  ['(select percentile_cont(0.5) within group (order by id) from items) > 0', undefined],
  ['(select string_agg(name, name order by id) from items) is null and int4(1.5) = 2', undefined],
])('a call in custom_sql is held against how many arguments a function takes: %s', async (using, detail) => {
  await sql(`create or replace function with_default(a int, b int default 2) returns int language sql as 'select 1';
    create or replace function any_number(variadic list int[]) returns int language sql as 'select 1'`);
  const { body } = await validate(custom(using));
  const told = body.errors.map((one: Record<string, string>) => [one.type, one.detail]);
  const path = 'manifest.tables[0].custom_sql';
  expect(told).toEqual(detail === undefined ? [] : [['schema-shape', `${path}: ${detail}`]]);
  expect((await project.expose(custom(using))).status < 300).toBe(detail === undefined);
});

test('a call in custom_sql is held against what the migration makes of a function', async () => {
  const made = (parameters: string) => `create function counted(${parameters}) returns int language sql as 'select 1'`;
  const calls = custom('counted(1, 2) = 1');
  expect(await found(calls, made('int'))).toEqual(['schema-shape']);
  expect(await found(calls, made('int, int, int default 3'))).toEqual([]);
  expect(await found(calls, made('int, variadic int[]'))).toEqual([]);
  expect(await found(calls, `${made('int')}; ${made('int, int')}`)).toEqual([]);
});

test('a function that custom_sql calls may be one that the migration makes', async () => {
  const calls = custom('made(id) = 1');
  expect(await found(calls)).toEqual(['schema-shape']);
  expect(await found(calls, 'create function made(a int) returns int language sql as $$ select 1 $$')).toEqual([]);
  expect(await found(custom('app.made(id)'), 'create function app.made(int) returns bool return true')).toEqual([]);
  expect(await found(calls, "do $$ begin execute 'create function made' end $$")).toEqual(['validation-inconclusive']);
});

test('what custom_sql calls is looked for without a project, too', async () => {
  const { wallet } = await service.owner();
  const migration_sql = 'create table items (id int, name text)';
  const told = async (using: string) => {
    const body = { manifest: { version: 1, ...custom(using) }, migration_sql };
    const answer = await call(wallet, 'POST', '/projects/v1/expose/validate', { body });
    return answer.body.errors.map(({ detail }: Record<string, string>) => detail);
  };
  expect(await told('lower(name) = name and auth.uid() is null')).toEqual([]);
  expect(await told('lowerr(name) = name')).toEqual(['manifest.tables[0].custom_sql: there is no function lowerr']);
});

test('every finding is told, errors and warnings apart, with its path and severity', async () => {
  const { body } = await validate({
    tables: [items, { ...notes, owner_column: 'none' }, { name: 'items2', expose: false }],
    views: [{ name: 'v', base: 'none', select: ['*'] }],
  });
  expect(body).toMatchObject({ has_errors: true, warnings: [] });
  expect(body.errors.map(({ type, severity }: Record<string, string>) => [type, severity])).toEqual([
    ['missing-table', 'error'],
    ['missing-table', 'error'],
    ['missing-view-base', 'error'],
  ]);
  expect(body.errors[0].detail).toMatch(/^manifest\.tables\[1\]\.name: /);
});

test.each<[string, string[], object]>([
  ['create table notes (id int, owner uuid)', [], { tables: [notes] }],
  [
    'CREATE TABLE IF NOT EXISTS "public"."notes" (owner uuid default (gen_random_uuid()), check (true))',
    [],
    { tables: [notes] },
  ],
  ['create table notes (owner text)', ['owner-column-not-uuid'], { tables: [notes] }],
  ['create table other.notes (owner uuid)', ['missing-table'], { tables: [notes] }],
  ['-- create table notes (owner uuid)', ['missing-table'], { tables: [notes] }],
  ["select 'create table notes (owner uuid)'", ['missing-table'], { tables: [notes] }],
  ['create table notes (id int); alter table notes add column owner uuid', [], { tables: [notes] }],
  ['create table notes (owner uuid); alter table notes drop column owner', ['missing-column'], { tables: [notes] }],
  ['create table notes (o uuid); alter table notes rename column o to owner', [], { tables: [notes] }],
  ['alter table items rename to notes', [], { tables: [notes] }],
  ['drop table items', ['missing-table'], { tables: [items] }],
  ['alter table items drop column owner', ['missing-column'], { tables: [items] }],
  ['create table notes as select id, owner from items', [], { tables: [notes] }],
  ['create table notes as select * from items', [], { tables: [notes] }],
  ['create table notes (like items)', ['validation-inconclusive'], { tables: [notes] }],
  ['create table notes (extra int) inherits (items)', ['validation-inconclusive'], { tables: [notes] }],
  ['create table t (id int) inherits (items)', ['schema-shape'], { tables: [{ ...items, live: true }] }],
  ['create table t (id int); alter table items inherit t', ['schema-shape'], { tables: [{ ...items, live: true }] }],
  [
    'create table t (id int); alter table items inherit t; alter table items no inherit t',
    [],
    { tables: [{ ...items, live: true }] },
  ],
  ...['items', 't'].map((name): [string, string[], object] => [
    `create table t (id int) partition by list (id); alter table t attach partition items default -- ${name}`,
    ['schema-shape'],
    { tables: [{ ...items, policy: 'public_read_authenticated_write', name, live: true }] },
  ]),
  ["do $$ begin execute 'create table notes (owner uuid)'; end $$", ['validation-inconclusive'], { tables: [notes] }],
  ['create table notes (owner uuid', ['validation-inconclusive'], { tables: [notes] }],
  ['create view w as select id as number from items', [], { views: [{ name: 'v', base: 'w', select: ['number'] }] }],
  [
    'create view w as select id from items',
    ['missing-column'],
    { views: [{ name: 'v', base: 'w', select: ['number'] }] },
  ],
  ['create function g(a int, out b int) language sql as $$ select 1 $$', [], rpc('(a int)', 'g')],
  [
    'create function g(a int) returns int language sql as $$ select 1 $$; drop function g',
    ['missing-rpc'],
    rpc('(a int)', 'g'),
  ],
  ['create function g(a int[]) returns int language sql as $$ select 1 $$', [], rpc('(integer[])', 'g')],
  ['create procedure g() language sql as $$ select 1 $$', ['missing-rpc'], rpc('()', 'g')],
  ['drop function f(text)', [], rpc('(a)')],
])('a migration is understood as PostgreSQL would: %s', async (migration, expected, manifest) => {
  expect(await found(manifest, migration)).toEqual(expected);
});

test('nothing of a migration is run', async () => {
  const before = await catalogOf(project);
  await found({ tables: [items] }, 'drop table items; create table evil (id int); grant all on items to anon');
  expect(await catalogOf(project)).toEqual(before);
});

test('without a project, a manifest is held against its migration alone', async () => {
  const wallet = service.actors.wallet();
  const ask = (body: object) => call(wallet, 'POST', '/projects/v1/expose/validate', { body });
  const manifest = { version: '1', tables: [notes] };
  expect(types((await ask({ manifest })).body)).toEqual(['missing-table']);
  expect((await ask({ manifest, migration_sql: 'create table notes (owner uuid)' })).body).toEqual({
    has_errors: false,
    errors: [],
    warnings: [],
  });
  expectRefusal(await ask({}), 'VALIDATION_FAILED', { field: 'manifest' });
  expectRefusal(await ask({ manifest: [] }), 'VALIDATION_FAILED', { field: 'manifest' });
  expectRefusal(await ask({ manifest, migration_sql: 'x'.repeat(256 * 1024 + 1) }), 'VALIDATION_FAILED', {
    field: 'migration_sql',
  });
  const path = '/projects/v1/expose/validate';
  expectRefusal(await call(service.actors.nobody, 'POST', path, { body: { manifest } }), 'AUTH_REQUIRED');
  expectRefusal(
    await call(service.actors.bearer(project.anonKey), 'POST', path, { body: { manifest } }),
    'AUTH_REQUIRED',
  );
});

test('another project’s key is refused', async () => {
  const other = await service.project();
  const ask = call(service.actors.bearer(other.serviceKey), 'POST', `${base}/expose/validate`, {
    body: { manifest: { version: 1 } },
  });
  expectRefusal(await ask, 'FORBIDDEN');
});

test('the graph finds the same, with a project and without', async () => {
  const document = `query ($id: ID!, $manifest: JSONObject!, $sql: String) {
    project(id: $id) { exposeFindings(manifest: $manifest, migrationSql: $sql) { type severity path detail fix } }
    exposeFindings(manifest: $manifest, migrationSql: $sql) { type }
  }`;
  const variables = {
    id: project.projectId,
    manifest: { version: 1, tables: [items] },
    sql: 'create table x (id int)',
  };
  const { data } = await service.graphql(project.wallet, document, variables);
  expect(data).toEqual({ project: { exposeFindings: [] }, exposeFindings: [{ type: 'missing-table' }] });
});
