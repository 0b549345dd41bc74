import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { catalogOf } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await startService();
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
    ['unrestricted-ack-required'],
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
    { tables: [{ name: 'items', expose: true, policy: 'public_read_append_only', force_owner_on_insert: true }] },
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
