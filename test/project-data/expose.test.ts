import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { asUser, catalogOf } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, expose, exposed, anon, admin } = project;

const ada = '00000000-0000-4000-8000-00000000ada0';
const bob = '00000000-0000-4000-8000-00000000b0b0';

beforeAll(async () => {
  await sql(`
    create table items (id serial primary key, owner_id uuid, title text);
    create table texts (id serial primary key, owner text, title text);
    create table posts (id serial primary key, body text);
    create table board (id serial primary key, body text);
    create table log (id serial primary key, line text);
    create table rules (id serial primary key, open boolean, owner uuid);
    create table dark (id serial primary key, item int references items, board int references board);
    create function add(a int, b int) returns int language sql immutable as 'select a + b';
    create function add(c text, d text) returns text language sql immutable as 'select c || d';
    create function peek() returns setof dark language sql stable security definer as 'select * from dark';
    insert into items (owner_id, title) values ('${ada}', 'hers'), ('${bob}', 'his');
    insert into dark (item) values (1)`);
});

const asAda = (text: string) => asUser(service, project, { sub: ada }, text);
const asNobody = (text: string) => asUser(service, project, undefined, text);

test('everything is dark until it is exposed, through every door', async () => {
  expectRefusal(await anon('GET', 'items'), 'TABLE_NOT_EXPOSED', { table: 'items', exposed: false });
  for (const [method, body] of [
    ['POST', { title: 'x' }],
    ['PATCH', { title: 'x' }],
    ['DELETE', undefined],
  ] as const)
    expect((await anon(method, 'items?id=eq.1', body === undefined ? {} : { body })).status).toBe(403);
  expect(await anon('POST', 'rpc/add', { body: { a: 1, b: 2 } })).toMatchObject({
    status: 403,
    body: { error: 'forbidden_function' },
  });
  await expect(asAda('select * from items')).rejects.toMatchObject({ code: '42501' });
  await expect(asAda('select add(1, 2)')).rejects.toMatchObject({ code: '42501' });
  await expect(asAda("select nextval('items_id_seq')")).rejects.toMatchObject({ code: '42501' });
  expect((await admin('GET', 'dark')).body).toEqual([{ id: 1, item: 1, board: null }]);
});

test('before any manifest, what is shown is made out from the privileges', async () => {
  expect((await exposed()).body).toEqual({
    status: 'ok',
    project_id: project.projectId,
    source: 'introspected',
    revision: 'none',
    manifest: { version: '1', tables: [], views: [], rpcs: [] },
    version: '1',
    tables: [],
    views: [],
    rpcs: [],
  });
});

const whole = {
  tables: [
    {
      name: 'items',
      expose: true,
      policy: 'user_owns_rows',
      owner_column: 'owner_id',
      force_owner_on_insert: true,
      live: true,
    },
    { name: 'texts', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
    { name: 'posts', expose: true, policy: 'public_read_authenticated_write' },
    { name: 'board', expose: true, policy: 'public_read_write_UNRESTRICTED', i_understand_this_is_unrestricted: true },
    { name: 'log', expose: true, policy: 'public_read_append_only' },
    {
      name: 'rules',
      expose: true,
      policy: 'custom',
      custom_sql: `create policy seen on rules for select using (open);
        create policy made on public.rules for insert to authenticated with check (owner = auth.uid());`,
    },
    { name: 'dark', expose: false },
  ],
  views: [
    { name: 'titles', base: 'items', select: ['id', 'title'], filter: "title <> 'secret' -- all others", expose: true },
    { name: 'kept_dark', base: 'titles', select: ['*'] },
  ],
  rpcs: [{ name: 'add', signature: '(a int, b int)', grant_to: ['anon', 'authenticated'] }],
};

test('a manifest is applied as a whole, and answered as it was given', async () => {
  const { status, body } = await expose(whole);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      status: 'ok',
      project_id: project.projectId,
      applied: {
        tables: ['items', 'texts', 'posts', 'board', 'log', 'rules'],
        views: ['titles', 'kept_dark'],
        rpcs: ['add'],
      },
      dropped: { tables: [], views: [], rpcs: [] },
    },
  });
  expect(body.warnings.map((one: { type: string }) => one.type)).toEqual(['owner-column-not-uuid']);
  const read = (await exposed()).body;
  expect(read).toMatchObject({ source: 'applied', manifest: { version: '1', tables: whole.tables } });
  expect(read.views).toEqual(whole.views.map((view) => ({ ...view, security_invoker: true })));
  expect(read.manifest.rpcs).toEqual(whole.rpcs);
});

test('applying it again changes nothing', async () => {
  const before = await catalogOf(project);
  for (let round = 0; round < 2; round++) {
    const { body } = await expose({ ...whole, version: '1', $schema: 'https://example.test/manifest.json' });
    expect(body.dropped).toEqual({ tables: [], views: [], rpcs: [] });
  }
  expect(await catalogOf(project)).toEqual(before);
});

test('user_owns_rows: nobody sees and writes nothing, a user their own', async () => {
  expect(await anon('GET', 'items')).toMatchObject({ status: 200, body: [] });
  expect(await anon('POST', 'items', { body: { title: 'x' } })).toMatchObject({ status: 401, body: { code: '42501' } });
  expect((await anon('PATCH', 'items?id=eq.1', { body: { title: 'x' } })).status).toBe(401);
  expect((await anon('DELETE', 'items?id=eq.1')).status).toBe(401);
  expect(await asAda('select title from items')).toEqual([{ title: 'hers' }]);
  expect(await asAda("insert into items (title) values ('filled in') returning owner_id")).toEqual([{ owner_id: ada }]);
  await expect(asAda(`insert into items (owner_id) values ('${bob}')`)).rejects.toMatchObject({ code: '42501' });
  await expect(asAda(`update items set owner_id = '${bob}' where title = 'hers'`)).rejects.toMatchObject({
    code: '42501',
  });
  expect(await asAda("update items set title = 'x' where title = 'his' returning id")).toEqual([]);
  expect(await asAda("delete from items where title = 'filled in' returning title")).toEqual([{ title: 'filled in' }]);
  const made = await admin('POST', 'items', {
    body: { title: 'unowned' },
    headers: { prefer: 'return=representation' },
  });
  expect(made.body).toEqual([{ id: expect.any(Number), title: 'unowned', owner_id: null }]);
});

test('an owner column of text is compared as text', async () => {
  await sql(`insert into texts (owner, title) values ('${ada}', 'hers'), ('someone', 'not hers')`);
  expect(await asAda('select title from texts')).toEqual([{ title: 'hers' }]);
  expect(await asAda(`insert into texts (owner, title) values ('${ada}', 'more') returning id`)).toHaveLength(1);
});

test('the templates give anonymous and signed-in callers exactly their cells', async () => {
  const cells: Record<string, Record<string, string>> = {};
  for (const table of ['items', 'posts', 'board', 'log', 'rules', 'dark', 'titles', 'kept_dark'])
    cells[table] = Object.fromEntries(
      (
        await sql(`select r, (select coalesce(string_agg(left(p, 1), '' order by o), '') from
          unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) with ordinality p(p, o)
          where has_table_privilege(r::name, '${table}', p)) as may
        from unnest(array['anon', 'authenticated', 'project_admin']) r`)
      ).map(({ r, may }) => [r, may]),
    );
  const all = (anonymous: string, users: string) => ({ anon: anonymous, authenticated: users, project_admin: users });
  expect(cells).toEqual({
    items: all('s', 'siud'),
    posts: all('s', 'siud'),
    board: all('siud', 'siud'),
    log: all('si', 'si'),
    rules: { anon: 's', authenticated: 'si', project_admin: 's' },
    dark: all('', ''),
    titles: all('s', 's'),
    kept_dark: all('', ''),
  });
  expect(
    await sql(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and (relrowsecurity and relforcerowsecurity) order by 1",
    ),
  ).toEqual(['board', 'items', 'log', 'posts', 'rules', 'texts'].map((relname) => ({ relname })));
});

test('public policies let through what they say, serial columns included', async () => {
  const body = { body: 'hello' };
  expect((await anon('POST', 'board', { body })).status).toBe(201);
  expect((await anon('PATCH', 'board?id=eq.1', { body: { body: 'changed' } })).status).toBe(204);
  expect((await anon('GET', 'board')).body).toEqual([{ id: 1, body: 'changed' }]);
  expect((await anon('POST', 'log', { body: { line: 'one' } })).status).toBe(201);
  expect((await anon('PATCH', 'log?id=eq.1', { body: { line: 'x' } })).status).toBe(401);
  expect((await anon('DELETE', 'log?id=eq.1')).status).toBe(401);
  expect((await anon('GET', 'log')).body).toEqual([{ id: 1, line: 'one' }]);
  expect((await anon('POST', 'posts', { body })).status).toBe(401);
  expect(await asAda("insert into posts (body) values ('x') returning id")).toEqual([{ id: 1 }]);
  expect((await anon('GET', 'posts')).body).toEqual([{ id: 1, body: 'x' }]);
});

test('a custom policy gives what its policies are for', async () => {
  await sql(`insert into rules (open, owner) values (true, null), (false, '${ada}')`);
  expect((await anon('GET', 'rules?select=id')).body).toEqual([{ id: 1 }]);
  expect(await asAda(`insert into rules (owner) values ('${ada}')`)).toEqual([]);
  await expect(asAda(`insert into rules (owner) values ('${bob}')`)).rejects.toMatchObject({ code: '42501' });
  await expect(asNobody(`insert into rules (owner) values (null)`)).rejects.toMatchObject({ code: '42501' });
});

test('a view shows what its reader may see, and no more', async () => {
  expect((await anon('GET', 'titles')).body).toEqual([]);
  expect(await asAda('select title from titles order by id')).toEqual([{ title: 'hers' }]);
  expect((await anon('GET', 'kept_dark')).status).toBe(403);
});

test('a function is called by those it is granted to, and its namesakes stay dark', async () => {
  expect((await anon('POST', 'rpc/add', { body: { a: 1, b: 2 } })).body).toBe(3);
  await expect(asAda("select add('a'::text, 'b'::text)")).rejects.toMatchObject({ code: '42501' });
  expect((await anon('POST', 'rpc/peek', { body: {} })).status).toBe(403);
});

test('what is dark stays dark when it is embedded', async () => {
  await sql('update dark set board = 1');
  expect(await anon('GET', 'board?select=id,dark(id)')).toMatchObject({ status: 400, body: { code: 'PGRST200' } });
  expect(await anon('GET', 'board?select=id&dark.id=eq.1&dark=not.is.null')).not.toMatchObject({ status: 200 });
  expect(await anon('GET', 'log?select=id,dark(id)')).toMatchObject({ status: 400, body: { code: 'PGRST200' } });
  expect((await admin('GET', 'items?select=id,dark(id)&id=eq.1')).body).toEqual([{ id: 1, dark: [{ id: 1 }] }]);
});

test('what SQL makes after a manifest is dark, and row routes know it at once', async () => {
  await sql('create table fresh (id int); create function newer() returns int language sql as $$ select 1 $$');
  expectRefusal(await anon('GET', 'fresh'), 'TABLE_NOT_EXPOSED', { table: 'fresh' });
  expect((await anon('POST', 'rpc/newer', { body: {} })).status).toBe(403);
  expect((await admin('GET', 'fresh')).status).toBe(200);
  await sql('alter table fresh add name text');
  expect((await admin('POST', 'fresh', { body: { id: 1, name: 'x' } })).status).toBe(201);
  expect((await admin('GET', 'fresh')).body).toEqual([{ id: 1, name: 'x' }]);
  await sql('drop table fresh; drop function newer');
  expect((await admin('GET', 'fresh')).status).toBe(404);
});

test('what a manifest no longer lists is dark again, and what it made is gone', async () => {
  const { body } = await expose({ tables: [{ ...whole.tables[0], force_owner_on_insert: false, live: false }] });
  expect(body).toMatchObject({
    applied: { tables: ['items'], views: [], rpcs: [] },
    dropped: { tables: ['texts', 'posts', 'board', 'log', 'rules'], views: ['titles', 'kept_dark'], rpcs: ['add'] },
  });
  for (const table of ['posts', 'board', 'log', 'rules', 'texts'])
    expectRefusal(await anon('GET', table), 'TABLE_NOT_EXPOSED', { table });
  expect((await anon('GET', 'titles')).status).toBe(404);
  expect((await anon('POST', 'rpc/add', { body: { a: 1, b: 2 } })).status).toBe(403);
  expect(await sql('select polname, polrelid::regclass::text as on from pg_policy')).toEqual([
    { polname: 'svc_owner', on: 'items' },
  ]);
  expect(
    await sql(
      "select tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text !~ '^_svc' union all select proname from pg_proc where proname like '%set_owner%'",
    ),
  ).toEqual([]);
  expect(await sql("select has_sequence_privilege('anon', 'board_id_seq', 'usage') as may")).toEqual([{ may: false }]);
  const empty = await expose({});
  expect(empty.body.dropped).toEqual({ tables: ['items'], views: [], rpcs: [] });
  expectRefusal(await anon('GET', 'items'), 'TABLE_NOT_EXPOSED');
  expect((await expose({})).body.dropped).toEqual({ tables: [], views: [], rpcs: [] });
});

test('policies of the tenant’s own stay', async () => {
  await sql('create policy mine on posts for select to anon using (id = 1)');
  await expose({ tables: [{ name: 'posts', expose: true, policy: 'public_read_append_only' }] });
  await expose({});
  expect(await sql("select polname from pg_policy where polrelid = 'posts'::regclass")).toEqual([{ polname: 'mine' }]);
  await sql('drop policy mine on posts');
});

test('a view follows its columns, and keeps what depends on it where it can', async () => {
  const view = (select: string[]) => expose({ views: [{ name: 'seen', base: 'items', select }] });
  await view(['id']);
  await sql('create function of_seen() returns setof seen language sql as $$ select * from seen $$');
  expect((await view(['id', 'title'])).status).toBe(200);
  expectRefusal(await view(['title']), 'SQL_ERROR', { sqlstate: '2BP01' });
  await sql('drop function of_seen');
  expect((await view(['title'])).status).toBe(200);
  expect(await sql("select attname from pg_attribute where attrelid = 'seen'::regclass and attnum > 0")).toEqual([
    { attname: 'title' },
  ]);
  await expose({});
});
