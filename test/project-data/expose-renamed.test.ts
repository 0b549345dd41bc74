import { afterAll, beforeEach, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { connectAs, hostileWorld } from '../tenancy/hostile.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { hostile: project } = await hostileWorld(service);
const { sql, send, expose, validate, admin, loginUrl } = project;
const waiting = async () =>
  (
    await service.control.sql(
      `select from pg_locks l join pg_stat_activity a on a.pid = l.pid where a.usename = $1 and not l.granted`,
      [project.roleName],
    )
  ).length;

beforeEach(async () => {
  await expose({});
  await sql('drop table if exists a, b cascade; create table a (id serial primary key, owner uuid)');
});

const owned = (name: string, owner = 'owner') => ({
  name,
  expose: true,
  policy: 'user_owns_rows',
  owner_column: owner,
  force_owner_on_insert: true,
});
/** What manifests have made in the project, but for views. */
const made = async () =>
  (
    await sql(`select name from (
      select tgname as name, obj_description(oid, 'pg_trigger') as said from pg_trigger
      union all select proname || '()', obj_description(oid, 'pg_proc') from pg_proc
      union all select polname, obj_description(oid, 'pg_policy') from pg_policy) as _
      where said = 'Made from the expose manifest.' order by name`)
  ).map(({ name }) => name);
const applied = async (...tables: object[]) => expect((await expose({ tables })).status).toBe(200);

test('a table that was renamed fills its owners in under its new name, and leaves nothing under the old one', async () => {
  await applied(owned('a'));
  await sql('alter table a rename to b; alter table b rename owner to user_id');
  await applied(owned('b', 'user_id'));
  expect(await made()).toEqual(['b_set_owner', 'b_set_owner_fn()', 'svc_owner']);
  expect((await admin('POST', 'b', { body: {} })).status).toBe(201);
  // Another one of the old name has nothing to do with it.
  await sql('create table a (id serial primary key, owner uuid)');
  await applied(owned('a'), owned('b', 'user_id'));
  await applied(owned('b', 'user_id'));
  expect(await made()).toEqual(['b_set_owner', 'b_set_owner_fn()', 'svc_owner']);
  await applied();
  expect(await made()).toEqual([]);
});

test('of a table that was dropped, nothing is left by the next manifest', async () => {
  await applied(owned('a'));
  await sql('drop table a');
  await applied();
  expect(await made()).toEqual([]);
});

test.each([
  ['policy', { ...owned('a'), force_owner_on_insert: false }, 'svc_owner'],
  ['custom_sql', { name: 'a', expose: true, policy: 'custom', custom_sql: 'create policy x on a using (true)' }, 'x'],
])('a policy of the tenant’s own is in the way of one of its name: %s', async (member, table, name) => {
  await sql(`create policy ${name} on a using (true)`);
  const refused = await expose({ tables: [table] });
  expect([refused.status, refused.body.details.field]).toEqual([400, `manifest.tables[0].${member}`]);
  expect((await validate({ tables: [table] })).body.errors).toMatchObject([
    { type: 'schema-shape', detail: expect.stringContaining(`the policy ${name} is there already`), fix: 'Drop it.' },
  ]);
  // What a migration does before, it may be that very thing.
  expect((await validate({ tables: [table] }, `drop policy ${name} on a`)).body).toMatchObject({ errors: [] });
  await sql(`drop policy ${name} on a`);
  await applied(table);
});

test('a manifest that has to give way to SQL on the same tables is applied all the same', async () => {
  await sql('create table b (id serial primary key, owner uuid)');
  const other = await connectAs(loginUrl);
  try {
    await other.query('set role service_role; begin; lock table b');
    const asked = expose({ tables: [owned('a'), owned('b')] });
    await expect.poll(waiting).toBe(1);
    // One of the two is refused, and it is whoever has waited for longer.
    await other.query('lock table a').catch(() => undefined);
    await other.query('rollback');
    expect((await asked).status).toBe(200);
  } finally {
    await other.end();
  }
});

test('names that are taken are told before anything is applied', async () => {
  const views = [{ name: 'b', base: 'a', select: ['id'], expose: true }];
  expect((await validate({ views })).body).toMatchObject({ errors: [] });
  await sql("create table b (id int); create function a_set_owner_fn() returns int language sql as 'select 1'");
  expect((await validate({ tables: [owned('a')], views })).body.errors).toMatchObject([
    { detail: expect.stringContaining('manifest.views[0].name') },
    { detail: expect.stringContaining('manifest.tables[0].force_owner_on_insert') },
  ]);
  expect((await send('drop function a_set_owner_fn')).status).toBe(200);
});
