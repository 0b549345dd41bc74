import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { asAdministrator, catalogOf } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, expose, exposed, base } = project;

beforeAll(async () => {
  await sql(`create table a (id int, owner uuid, n int); create table b (id int, owner uuid);
    create view taken as select 1 as one;
    create table parted (id int) partition by range (id); create table part partition of parted default;
    create table parent (id int); create table child () inherits (parent);
    create function b_set_owner_fn() returns int language sql as 'select 1'`);
});

let before: Awaited<ReturnType<typeof catalogOf>>;
beforeAll(async () => {
  before = await catalogOf(project);
});

const table = { name: 'a', expose: true, policy: 'public_read_append_only' };
const owned = { name: 'a', expose: true, policy: 'user_owns_rows', owner_column: 'owner' };
const custom = (custom_sql: string) => ({ tables: [{ name: 'a', expose: true, policy: 'custom', custom_sql }] });
const view = { name: 'v', base: 'a', select: ['id'] };
const filtered = (filter: string) => ({ views: [{ ...view, filter }] });

test.each<[string, object]>([
  ['manifest.version', { version: 2 }],
  ['manifest.version', { version: 'x' }],
  ['manifest.policies', { policies: [] }],
  ['manifest.tables', { tables: {} }],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'A' }] }],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'ａ' }] }],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'a"; drop table b; --' }] }],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'a'.repeat(64) }] }],
  ['manifest.tables[0].expose', { tables: [{ name: 'a' }] }],
  ['manifest.tables[0].policy', { tables: [{ name: 'a', expose: true }] }],
  ['manifest.tables[0].policy', { tables: [{ ...table, policy: 'everything' }] }],
  ['manifest.tables[0].extra', { tables: [{ ...table, extra: 1 }] }],
  ['manifest.tables[0].owner_column', { tables: [{ name: 'a', expose: true, policy: 'user_owns_rows' }] }],
  ['manifest.tables[0].owner_column', { tables: [{ ...owned, owner_column: 'nobody' }] }],
  ['manifest.tables[0].owner_column', { tables: [{ ...owned, owner_column: 'n' }] }],
  ['manifest.tables[0].live', { tables: [{ name: 'a', expose: false, live: true }] }],
  ['manifest.tables[0].live', { tables: [{ ...custom('create policy x on a').tables[0], live: true }] }],
  ...['parted', 'part', 'parent', 'child'].map((name): [string, object] => [
    'manifest.tables[0].live',
    { tables: [{ ...table, name, live: true }] },
  ]),
  ['manifest.tables[0].force_owner_on_insert', { tables: [{ ...table, force_owner_on_insert: true }] }],
  ['manifest.tables[0].custom_sql', { tables: [{ ...table, custom_sql: 'select 1' }] }],
  ['manifest.tables[0].custom_sql', { tables: [{ name: 'a', expose: true, policy: 'custom' }] }],
  ['manifest.tables[1].name', { tables: [table, table] }],
  [
    'manifest.tables[2].owner_column',
    { tables: [table, { name: 'b', expose: false }, { ...owned, name: 'c', owner_column: 'A B' }] },
  ],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'missing' }] }],
  ['manifest.tables[0].name', { tables: [{ ...table, name: 'taken' }] }],
  ['manifest.views[0].base', { views: [{ ...view, base: 'missing' }] }],
  ['manifest.views[0].base', { views: [{ ...view, base: 'v' }] }],
  ['manifest.views[0].select[1]', { views: [{ ...view, select: ['id', 'missing'] }] }],
  ['manifest.views[0].select', { views: [{ ...view, select: [] }] }],
  ['manifest.views[0].select', { views: [{ ...view, select: ['*', 'id'] }] }],
  ['manifest.views[0].name', { views: [{ ...view, name: 'taken' }] }],
  ['manifest.views[0].name', { views: [{ ...view, name: 'b' }] }],
  ['manifest.rpcs[0]', { rpcs: [{ name: 'missing', signature: '()', grant_to: ['anon'] }] }],
  ['manifest.rpcs[0].grant_to', { rpcs: [{ name: 'f', signature: '()', grant_to: [] }] }],
  ['manifest.rpcs[0].grant_to[0]', { rpcs: [{ name: 'f', signature: '()', grant_to: ['postgres'] }] }],
  ['manifest.rpcs[0].signature', { rpcs: [{ name: 'f', signature: 'int', grant_to: ['anon'] }] }],
  [
    'manifest.rpcs[0].signature',
    { rpcs: [{ name: 'f', signature: '(a int) to anon; drop table a --)', grant_to: ['anon'] }] },
  ],
  [
    'manifest.rpcs[0].signature',
    { rpcs: [{ name: 'f', signature: "() returns text language sql as 'x' (", grant_to: ['anon'] }] },
  ],
  ['manifest.rpcs[0].signature', { rpcs: [{ name: 'f', signature: '() cost 5 rows (1)', grant_to: ['anon'] }] }],
  ['manifest.tables[0].force_owner_on_insert', { tables: [{ ...owned, name: 'b', force_owner_on_insert: true }] }],
])('what is wrong is named by its path: %s', async (field, manifest) => {
  expectRefusal(await expose(manifest), 'VALIDATION_FAILED', { field });
});

test.each([
  'grant select on a to anon',
  'revoke all on a from anon',
  "alter system set work_mem = '1GB'",
  'do $$ begin grant all on a to anon; end $$',
  'create policy x on a; grant all on b to anon',
  'create policy x on b',
  'create policy x on auth.a',
  'create policy x on _svc.a',
  'create table more (id int)',
  'select 1',
  'alter table a disable row level security',
  'alter policy x on a using (true)',
  'drop policy if exists x on b; create policy x on a',
  'drop table a',
  'drop policy if exists x on a',
  'commit; create policy x on a',
  'create policy x on a using (true)) ; drop table a; --',
  'set role postgres; create policy x on a',
  '-- nothing',
  'create polcy x on a',
])('custom SQL makes policies of its own table alone: %s', async (text) => {
  expectRefusal(await expose(custom(text)), 'VALIDATION_FAILED', { field: 'manifest.tables[0].custom_sql' });
});

test('what was refused so far changed nothing', async () => {
  expect(await catalogOf(project)).toEqual(before);
});

test('custom SQL may drop a policy that it makes again', async () => {
  expect(
    (await expose(custom('drop policy if exists x on a; create policy x on a for select using (true)'))).status,
  ).toBe(200);
  expect(
    (await expose(custom('drop policy if exists x on a; create policy x on a for select using (true)'))).status,
  ).toBe(200);
  expect((await expose({})).status).toBe(200);
});

test.each([
  'true) union select 1 as id --',
  'true) union select (1',
  'true; drop table a',
  'true group by id',
  'true) limit (1',
  'true) for update of a; select (1',
  '',
  '--',
  '/*',
])('a filter is one expression: %s', async (filter) => {
  expectRefusal(await expose(filtered(filter)), 'VALIDATION_FAILED', { field: 'manifest.views[0].filter' });
});

test('an apply that fails in the middle leaves everything as it was', async () => {
  await expose({ tables: [owned], views: [view] });
  const before = await catalogOf(project);
  // Each is refused by the database, after other statements were run.
  const made = (rest: string) => ({
    tables: [table, { ...custom(`create policy x on b ${rest}`).tables[0], name: 'b' }],
  });
  expectRefusal(await expose(made('using (nothing = 1)')), 'VALIDATION_FAILED', {
    field: 'manifest.tables[1].custom_sql',
  });
  expectRefusal(await expose({ tables: [table], ...filtered('missing > 1') }), 'VALIDATION_FAILED', {
    field: 'manifest.views[0].filter',
  });
  expectRefusal(await expose(made('using (true); create policy x on b using (true)')), 'SQL_ERROR');
  expect(await catalogOf(project)).toEqual(before);
  expect((await exposed()).body.tables).toEqual([owned]);
});

test('of twenty manifests at once, one is there as a whole', async () => {
  const one = { tables: [{ ...table, name: 'a' }], views: [{ ...view, name: 'first' }] };
  const two = { tables: [{ ...owned, name: 'b' }], views: [{ ...view, name: 'second', base: 'b' }] };
  const settled = async (manifest: object) => {
    await expose(manifest);
    const { relations, policies, triggers } = (await catalogOf(project)) as Record<string, unknown>;
    return { relations, policies, triggers };
  };
  // Whichever was before, each leaves the same; indexes and row security of the other stay.
  await settled(one);
  const possible = [await settled(two), await settled(one)];
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => expose(index % 2 === 0 ? one : two)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const { relations, policies, triggers } = (await catalogOf(project)) as Record<string, unknown>;
  expect(possible).toContainEqual({ relations, policies, triggers });
  const name = (await exposed()).body.tables[0].name;
  expect(await sql('select relname from pg_class where relname in ($$first$$, $$second$$)')).toEqual([
    { relname: name === 'a' ? 'first' : 'second' },
  ]);
});

test('table names as long as PostgreSQL keeps them fill their owners in', async () => {
  const names = [`${'x'.repeat(62)}1`, `${'x'.repeat(62)}2`];
  for (const name of names) await sql(`create table ${name} (id int, owner uuid)`);
  const tables = names.map((name) => ({ ...owned, name, force_owner_on_insert: true }));
  expect((await expose({ tables })).status).toBe(200);
  expect((await expose({ tables })).status).toBe(200);
  expect(await sql("select count(*) from pg_trigger where tgname like '%_set_owner'")).toEqual([{ count: 2 }]);
  expect((await expose({})).status).toBe(200);
  expect(await sql("select count(*) from pg_proc where proname like 'xxx%'")).toEqual([{ count: 0 }]);
});

test('a stored manifest that tenant SQL has spoilt counts as none', async () => {
  await expose({ tables: [owned] });
  await sql(`update _svc.manifest set manifest = '{"tables": 7}'`);
  expect((await exposed()).body).toMatchObject({ source: 'introspected', tables: [{ name: 'a', policy: 'custom' }] });
  expect((await expose({})).body.dropped.tables).toEqual(['a']);
});

test('privileges that are not the manifest’s are taken back', async () => {
  await asAdministrator(service, project, [
    'grant all on public.b to anon',
    'grant update (id) on public.a to authenticated',
    'grant execute on function public.b_set_owner_fn to public',
  ]);
  expect((await exposed()).body.rpcs).toEqual([]);
  const { body } = await expose({});
  expect(body.dropped).toEqual({ tables: ['a', 'b'], views: [], rpcs: ['b_set_owner_fn'] });
  expect((await expose({})).body.dropped).toEqual({ tables: [], views: [], rpcs: [] });
});

test('the anon key, another project’s key, the platform admin and a stranger change nothing', async () => {
  const other = await service.project();
  const { actors } = service;
  const ask = (actor: Parameters<typeof service.call>[0], method = 'POST') =>
    service.call(actor, method, `${base}/expose`, method === 'POST' ? { body: { version: 1 } } : {});
  expectRefusal(await ask(actors.bearer(project.anonKey)), 'AUTH_REQUIRED');
  expectRefusal(await ask(actors.bearer(other.serviceKey)), 'FORBIDDEN');
  expectRefusal(await ask(actors.bearer(other.serviceKey), 'GET'), 'FORBIDDEN');
  expectRefusal(await ask(actors.admin), 'FORBIDDEN');
  expectRefusal(await ask(other.wallet), 'NOT_AUTHORIZED');
  expectRefusal(await ask(actors.nobody), 'AUTH_REQUIRED');
  await service.control.sql("update orgs set lifecycle_state = 'frozen' where id = $1", [project.orgId]);
  expectRefusal(await ask(project.key), 'PROJECT_FROZEN');
  await service.control.sql("update orgs set lifecycle_state = 'active' where id = $1", [project.orgId]);
});

test('the graph applies, reads and refuses the same way', async () => {
  const document = `mutation ($input: ApplyExposeInput!) { applyExpose(input: $input) {
    applied { tables views rpcs } dropped { tables views rpcs } warnings { type }
    project { projectId expose { source manifest } tables { name rlsEnabled policies { name command usingExpression } } }
  } }`;
  const ask = (manifest: object) =>
    service.graphql(project.wallet, document, { input: { project: project.projectId, manifest } });
  const { data } = await ask({ version: 1, tables: [owned] });
  expect(data.applyExpose).toMatchObject({
    applied: { tables: ['a'], views: [], rpcs: [] },
    dropped: { tables: [], views: [], rpcs: [] },
    project: {
      projectId: project.projectId,
      expose: { source: 'APPLIED', manifest: { version: '1', tables: [owned] } },
    },
  });
  const [first] = data.applyExpose.project.tables;
  expect(first).toEqual({
    name: 'a',
    rlsEnabled: true,
    policies: [{ name: 'svc_owner', command: 'ALL', usingExpression: expect.stringContaining('auth.uid()') }],
  });
  const { errors } = await ask({ version: 1, tables: [{ ...owned, owner_column: 'nobody' }] });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'manifest.tables[0].owner_column' },
  });
});
