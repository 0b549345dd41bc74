import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { asAdministrator } from './as-user.ts';
import { dataProject } from './data-project.ts';

// The answer of `projects.access` is held against what requests of each role really do.

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { actors } = service;
const call = documentedCalls(service);

const sessionOf = async (label: string, is_admin: boolean) => {
  const { body } = await service.call<{ access_token: string; user: { id: string } }>(
    actors.apikey(project.serviceKey),
    'POST',
    '/auth/v1/test-sessions',
    { body: { label, is_admin } },
  );
  return { id: body.user.id, token: body.access_token };
};
const [ada, boss] = [await sessionOf('ada', false), await sessionOf('boss', true)];
const other = crypto.randomUUID();
const asUser = (token: string): Actor => ({
  headers: async () => ({ apikey: project.anonKey, authorization: `Bearer ${token}` }),
});
const callers = {
  anon: { actor: actors.apikey(project.anonKey), door: '/rest/v1', own: other },
  authenticated: { actor: asUser(ada.token), door: '/rest/v1', own: ada.id },
  project_admin: { actor: asUser(boss.token), door: '/rest/v1', own: boss.id },
  service_role: { actor: actors.bearer(project.serviceKey), door: '/admin/v1/rest', own: other },
} as const;
type Role = keyof typeof callers;

const tables = [
  'own_notes',
  'posts',
  'wall',
  'entries',
  'chosen',
  'dark',
  'narrowed',
  'bare',
  'partly',
  'forced',
  'quoted',
];
const columns = 'id int primary key, owner uuid, flag boolean, note text';
await project.sql(tables.map((name) => `create table ${name} (${columns});`).join('\n'));
const seed = tables
  .map(
    (name) => `truncate ${name}; insert into ${name} values (1, '${ada.id}', true, ''), (2, '${other}', true, ''),
      (3, '${other}', false, ''), (4, '${boss.id}', false, '');`,
  )
  .join('\n');
await project.sql(seed);
await project.sql(`
  create function greet() returns text language sql as $$ select 'hello' $$;
  create function hidden() returns text language sql as $$ select 'no' $$;
  create function trusted() returns text language sql security definer as $$ select 'yes' $$;`);
const applied = await project.expose({
  tables: [
    { name: 'own_notes', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
    { name: 'posts', expose: true, policy: 'public_read_authenticated_write' },
    { name: 'wall', expose: true, policy: 'public_read_write_UNRESTRICTED', i_understand_this_is_unrestricted: true },
    { name: 'entries', expose: true, policy: 'public_read_append_only' },
    {
      name: 'chosen',
      expose: true,
      policy: 'custom',
      custom_sql: `create policy seen on chosen for select to anon, authenticated using (flag);
        create policy changed on chosen for all to authenticated using (flag) with check (flag);`,
    },
    { name: 'dark', expose: false },
  ],
  views: [
    { name: 'own_view', base: 'own_notes', select: ['*'], expose: true },
    { name: 'dark_view', base: 'posts', select: ['*'], expose: false },
  ],
  rpcs: [
    { name: 'greet', signature: '()', grant_to: ['anon', 'authenticated'] },
    { name: 'trusted', signature: '()', grant_to: ['authenticated'] },
  ],
});
expect(applied.body.status).toBe('ok');
// Beyond the manifest: rights and policies that an older project may have.
await project.sql(`create view through as select * from own_notes;
  create view summed as select owner, count(*) as id, true as flag from posts group by owner;`);
await asAdministrator(service, project, [
  `alter table narrowed enable row level security;
  create policy open on narrowed for all to public using (true) with check (true);
  create policy narrow on narrowed as restrictive for all to public using (flag) with check (flag);
  grant select, insert, update, delete on narrowed to anon, authenticated;
  grant select, update on bare to anon;
  grant select (id, owner, flag) on partly to anon;
  alter table forced enable row level security;
  alter table forced force row level security;
  grant select, insert, update, delete on forced to anon;
  alter table quoted enable row level security;
  create policy mine on quoted for select to authenticated using (auth.uid() = owner);
  create policy none_of_it on quoted for delete to authenticated using (false);
  grant select, insert, update, delete on quoted to authenticated;
  grant select, insert, update, delete on through to anon;
  grant select, insert, delete on summed to anon;`,
]);
const relations = [...tables, 'own_view', 'dark_view', 'through'];

const { body: access } = await call(project.key, 'GET', `${project.base}/access`);
const cell = (name: string, role: Role, action: string) =>
  access.relations
    .find((one: { name: string }) => one.name === name)
    .roles.find((one: { role: string }) => one.role === role)[action];

const every = [1, 2, 3, 4];
const ownOf = { anon: [], authenticated: [1], project_admin: [4], service_role: [] } as const;
/** The rows that an answer of the operation promises. */
const promised = (rows: string, role: Role): readonly number[] =>
  rows === 'all' ? every : rows === 'own' ? ownOf[role] : rows === 'policy' ? [1, 2] : [];

/** The rows that a request of a role reaches. */
async function reaches(name: string, role: Role, action: string): Promise<readonly number[]> {
  const { actor, door, own } = callers[role];
  const path = `${door}/${name}`;
  const ids = async (method: string, search: string, body?: object) => {
    const options = { headers: { prefer: 'return=representation' }, ...(body === undefined ? {} : { body }) };
    const answer = await service.call<{ id: number }[]>(actor, method, `${path}?${search}`, options);
    return answer.status < 300 ? answer.body.map(({ id }) => id).sort() : [];
  };
  if (action === 'select') return ids('GET', 'select=id,owner,flag');
  if (action === 'update') return ids('PATCH', 'id=gt.0&select=id', { note: 'changed' });
  if (action === 'delete') return ids('DELETE', 'id=gt.0&select=id');
  // Each row that is there is copied under another id: those that may be written are counted by the id of before.
  const rows = [
    { id: 11, owner: ada.id, flag: true },
    { id: 12, owner: other, flag: true },
    { id: 13, owner: other, flag: false },
    { id: 14, owner: boss.id, flag: false },
  ];
  const written: number[] = [];
  for (const row of rows) {
    const answer = await service.call(actor, 'POST', path, { body: row, headers: { prefer: 'return=minimal' } });
    if (answer.status < 300) written.push(row.id - 10);
  }
  expect(own).toEqual(expect.any(String));
  return written;
}

test.each(relations.flatMap((name) => Object.keys(callers).map((role) => [name, role as Role] as const)))(
  'what is said of %s and %s is what requests do',
  async (name, role) => {
    const said: Record<string, readonly number[]> = {};
    const done: Record<string, readonly number[]> = {};
    for (const action of ['select', 'insert', 'update', 'delete']) {
      said[action] = promised(cell(name, role, action).rows, role);
      done[action] = await reaches(name, role, action);
      if (action !== 'select' && done[action].length > 0) await project.sql(seed);
    }
    expect({ name, role, ...done }).toEqual({ name, role, ...said });
  },
);

test('causes, owners and policies are told', () => {
  expect(cell('dark', 'anon', 'select')).toMatchObject({ rows: 'none', cause: 'no_privilege' });
  expect(cell('own_notes', 'authenticated', 'update')).toMatchObject({ rows: 'own', owner_column: 'owner' });
  expect(cell('own_notes', 'anon', 'select')).toMatchObject({ rows: 'none', cause: 'no_policy' });
  expect(cell('own_notes', 'service_role', 'select')).toMatchObject({ rows: 'all', cause: 'bypasses_row_security' });
  expect(cell('chosen', 'anon', 'select')).toMatchObject({
    rows: 'policy',
    policies: [{ table: 'chosen', name: 'seen', using: 'flag', restrictive: false }],
  });
  expect(cell('narrowed', 'anon', 'select').policies.map((one: { restrictive: boolean }) => one.restrictive)).toEqual([
    false,
    true,
  ]);
  expect(cell('bare', 'anon', 'select')).toMatchObject({ rows: 'all', cause: 'no_row_security', columns: null });
  expect(cell('partly', 'anon', 'select').columns).toEqual(['id', 'owner', 'flag']);
  expect(cell('forced', 'service_role', 'select')).toMatchObject({ rows: 'all', cause: 'bypasses_row_security' });
  expect(cell('forced', 'anon', 'select')).toMatchObject({ rows: 'none', cause: 'no_policy' });
  expect(cell('quoted', 'authenticated', 'select')).toMatchObject({ rows: 'own', owner_column: 'owner' });
  expect(cell('summed', 'anon', 'insert')).toMatchObject({ rows: 'none', cause: 'read_only' });
  expect(cell('own_view', 'authenticated', 'select')).toMatchObject({
    rows: 'own',
    policies: [{ table: 'own_notes' }],
  });
  const of = (name: string) => access.relations.find((one: { name: string }) => one.name === name);
  expect(of('posts')).toMatchObject({ kind: 'table', exposed: true, policy: 'public_read_authenticated_write' });
  expect(of('dark')).toMatchObject({ exposed: false, policy: null, row_security: false });
  expect(of('bare')).toMatchObject({ exposed: null });
});

test.each(['greet', 'hidden', 'trusted'])('who may call %s is who can', async (name) => {
  const said = access.functions.find((one: { name: string }) => one.name === name);
  const done = [];
  for (const [role, { actor, door }] of Object.entries(callers)) {
    const answer = await service.call(actor, 'POST', `${door}/rpc/${name}`, { body: {} });
    if (answer.status < 300) done.push(role);
  }
  expect(done).toEqual(said.callers);
  expect(said).toMatchObject({ security_definer: name === 'trusted', exposed: name !== 'hidden' });
});

test('the graph says the same', async () => {
  const { data } = await service.graphql(
    project.wallet,
    `query ($id: ID!) { project(id: $id) { access {
      relations { name kind roles { role select { rows cause ownerColumn policies { name } } } } functions { name callers } } } }`,
    { id: project.projectId },
  );
  const own = data.project.access.relations.find((one: { name: string }) => one.name === 'own_notes');
  expect(own.roles[1]).toMatchObject({ role: 'AUTHENTICATED', select: { rows: 'OWN', ownerColumn: 'owner' } });
  expect(data.project.access.relations).toHaveLength(access.relations.length);
});

test('a project without tables has nobody who may do anything', async () => {
  const empty = await dataProject(service);
  const { body } = await call(empty.key, 'GET', `${empty.base}/access`);
  expect(body).toMatchObject({ relations: [], functions: [] });
});
