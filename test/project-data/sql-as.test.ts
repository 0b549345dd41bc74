import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { asAdministrator } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, key, base, projectId } = project;

const send = (body: object, headers: Record<string, string> = {}) =>
  service.call<Record<string, never>>(key, 'POST', `${base}/sql`, { body, headers });
const rowsOf = async (body: object): Promise<unknown> => {
  const { status, body: answer } = await send(body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer.rows;
};
const signUp = async (email: string): Promise<string> => {
  const made = await service.call<{ id: string }>(service.actors.apikey(project.anonKey), 'POST', '/auth/v1/signup', {
    body: { email, password: 'a long enough password' },
  });
  expect(made.status).toBeLessThan(300);
  return made.body.id;
};
const ada = await signUp('ada@example.com');
const bob = await signUp('bob@example.com');
await sql(`create table notes (id int primary key, owner uuid, title text)`);
await sql(`insert into notes values (1, '${ada}', 'of Ada'), (2, '${bob}', 'of Bob')`);
const exposed = await project.expose({
  tables: [{ name: 'notes', expose: true, policy: 'user_owns_rows', owner_column: 'owner' }],
});
expect(exposed.status).toBe(200);

const trail = async () =>
  (
    await service.control.sql<{ details: Record<string, unknown> }>(
      `select details from audit_events where action = 'project.sql_run' order by seq desc limit 1`,
    )
  )[0]!.details;

test('SQL as a user sees and changes what row security leaves to that user, and the trail says so', async () => {
  const as = { role: 'authenticated', user: ada };
  expect(await rowsOf({ sql: 'select title from notes', as })).toEqual([{ title: 'of Ada' }]);
  expect(await trail()).toMatchObject({ as });
  expect(await rowsOf({ sql: 'select title from notes', as: { ...as, user: bob } })).toEqual([{ title: 'of Bob' }]);
  expect(await rowsOf({ sql: "update notes set title = 'mine' returning id", as })).toEqual([{ id: 1 }]);
  const byAddress = { role: 'authenticated', email: ' Bob@Example.com' };
  expect(await rowsOf({ sql: 'select title from notes', as: byAddress })).toEqual([{ title: 'of Bob' }]);
  const foreign = await send({ sql: `insert into notes values (3, '${bob}', 'for Bob')`, as });
  expectRefusal(foreign as never, 'SQL_ERROR', { sqlstate: '42501' });
  // Nobody in particular owns no row, and may not even ask for what the manifest does not show.
  expect(await rowsOf({ sql: 'select title from notes', as: { role: 'anon' } })).toEqual([]);
  await sql('create table dark (id int)');
  const dark = await send({ sql: 'select id from dark', as: { role: 'anon' } });
  expectRefusal(dark as never, 'SQL_ERROR', { sqlstate: '42501' });
  // The owner sees all, as before.
  expect(await rowsOf({ sql: 'select count(*)::int from notes' })).toEqual([{ count: 2 }]);
});

test('the claims are those of a request of that caller', async () => {
  const told = `select current_user::text as role, auth.uid()::text as uid, auth.claims() as claims`;
  const byKey = await service.call<{ access_token: string }>(
    service.actors.apikey(project.anonKey),
    'POST',
    '/auth/v1/token',
    { body: { grant_type: 'password', email: 'ada@example.com', password: 'a long enough password' } },
  );
  const claims = JSON.parse(Buffer.from(byKey.body.access_token.split('.')[1]!, 'base64url').toString());
  const [row] = (await rowsOf({ sql: told, as: { role: 'authenticated', user: ada } })) as [
    { role: string; uid: string; claims: Record<string, unknown> },
  ];
  expect({ role: row.role, uid: row.uid }).toEqual({ role: 'authenticated', uid: ada });
  const { session_id: _one, iat: _iat, exp: _exp, auth_time: _at, ...lasting } = claims;
  expect(row.claims).toMatchObject(lasting);
  expect(Object.keys(row.claims).sort()).toEqual(Object.keys(claims).sort());
  expect(await rowsOf({ sql: told, as: { role: 'anon' } })).toEqual([
    { role: 'anon', uid: null, claims: { role: 'anon', project_id: projectId } },
  ]);
});

test('an admin of the project has the role that a sign-in without a passkey gives', async () => {
  const signIn = async () =>
    (
      await service.call<{ access_token: string; user: { id: string } }>(key, 'POST', '/auth/v1/test-sessions', {
        body: { label: 'boss', is_admin: true },
      })
    ).body;
  const { id: boss } = (await signIn()).user;
  const told = `select current_user::text as role, auth.claims() ->> 'role' as claimed`;
  const rehearsed = async () => (await rowsOf({ sql: told, as: { role: 'authenticated', user: boss } })) as unknown[];
  const signedIn = async () =>
    JSON.parse(Buffer.from((await signIn()).access_token.split('.')[1]!, 'base64url').toString()).role;
  const before = await signedIn();
  expect([before, await rehearsed()]).toEqual(['project_admin', [{ role: before, claimed: before }]]);
  // As somebody with a passkey may decide.
  await asAdministrator(service, project, ['update auth.settings set require_passkey_for_project_admin = true']);
  const after = await signedIn();
  expect([after, await rehearsed()]).toEqual(['authenticated', [{ role: after, claimed: after }]]);
  // Still nothing but a rehearsal.
  const [row] = (await rowsOf({ sql: told, as: { role: 'authenticated', user: boss }, rollback: true })) as unknown[];
  expect(row).toEqual({ role: 'authenticated', claimed: 'authenticated' });
});

test('an unknown user, and a role that does not go with one, are refused by name', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000';
  const unknown = await send({ sql: 'select 1', as: { role: 'authenticated', user: nobody } });
  expectRefusal(unknown as never, 'RESOURCE_NOT_FOUND', { id: nobody });
  const unheard = await send({ sql: 'select 1', as: { role: 'authenticated', email: 'nobody@example.com' } });
  expectRefusal(unheard as never, 'RESOURCE_NOT_FOUND', { email: 'nobody@example.com' });
  for (const as of [
    { role: 'authenticated' },
    { role: 'anon', user: ada },
    { role: 'authenticated', user: ada, email: 'ada@example.com' },
    { role: 'service_role' },
  ])
    expect((await send({ sql: 'select 1', as })).body).toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('a user of another project is an unknown one', async () => {
  const other = await dataProject(service);
  const answer = await service.call(other.key, 'POST', `${other.base}/sql`, {
    body: { sql: 'select 1', as: { role: 'authenticated', user: ada } },
  });
  expect(answer.body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
});

test('roles are refused by name as ever, and the next statement is the owner’s again', async () => {
  const as = { role: 'anon' };
  for (const text of ['set role service_role', 'reset role', 'set session authorization default', 'reset all'])
    expect((await send({ sql: text, as })).body).toMatchObject({ code: 'FORBIDDEN' });
  expect(await rowsOf({ sql: 'select current_user::text as role' })).toEqual([{ role: 'service_role' }]);
});

test('the platform admin tries SQL as others, and writes nothing', async () => {
  const asAdmin = (body: object) =>
    service.call(service.actors.admin, 'POST', `${base}/sql`, {
      body: { as: { role: 'authenticated', user: ada }, ...body },
    });
  expect((await asAdmin({ sql: 'select id from notes' })).body).toMatchObject({ rows: [{ id: 1 }] });
  expect((await asAdmin({ sql: "update notes set title = 'x'" })).body).toMatchObject({ code: 'ADMIN_SQL_READ_ONLY' });
});

test('a trial answers as the real run would, and keeps nothing', async () => {
  const inserting = { sql: "insert into notes values (9, null, 'tried') returning title", rollback: true };
  expect(await rowsOf(inserting)).toEqual([{ title: 'tried' }]);
  expect(await trail()).toMatchObject({ rollback: true });
  expect(await rowsOf({ sql: 'select count(*)::int from notes where id = 9' })).toEqual([{ count: 0 }]);
  const keyed = { 'idempotency-key': 'a trial' };
  for (const _again of [1, 2])
    expect((await send(inserting, keyed)).body).toMatchObject({ rows: [{ title: 'tried' }] });
  expect(await rowsOf({ sql: 'select count(*)::int from notes where id = 9' })).toEqual([{ count: 0 }]);
  await rowsOf({ sql: 'create table tried (id int)', rollback: true });
  expect(await rowsOf({ sql: "select to_regclass('tried')::text as found" })).toEqual([{ found: null }]);
});

test('a trial is refused for what its commit would be refused for', async () => {
  await sql('create table later (id int unique deferrable initially deferred)');
  const twice = await send({ sql: 'insert into later values (1), (1)', rollback: true });
  expectRefusal(twice as never, 'SQL_ERROR', { sqlstate: '23505' });
});

test('each statement is answered in its order, with what it is called, how long it took and where it begins', async () => {
  const text = `create table listed (id int, "größe" text);
insert into listed values (1, 'ein'), (2, 'zwei');
select * from listed order by id; update listed set id = id + 1; select 'ẞ' as letter`;
  const { status, body } = await send({ sql: text, each: true });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: 'ok', rows: [], fields: [], row_count: null },
  });
  const results = body.results as unknown as { ms: number; position: number; command: string }[];
  expect(results).toMatchObject([
    { command: 'CREATE TABLE', rows: [], row_count: null, fields: [] },
    { command: 'INSERT 0 2', rows: [], row_count: 2, fields: [] },
    {
      command: 'SELECT 2',
      rows: [
        { id: 1, größe: 'ein' },
        { id: 2, größe: 'zwei' },
      ],
      row_count: 2,
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'größe', type: 'text' },
      ],
    },
    { command: 'UPDATE 2', row_count: 2, rows: [] },
    { command: 'SELECT 1', rows: [{ letter: 'ẞ' }] },
  ]);
  const characters = Array.from(text);
  expect(
    results.map(({ position }) =>
      characters
        .slice(position - 1)
        .join('')
        .trim()
        .slice(0, 6),
    ),
  ).toEqual(['create', 'insert', 'select', 'update', 'select']);
  for (const { ms } of results) expect(ms).toBeGreaterThanOrEqual(0);
  expect((await send({ sql: '-- nothing', each: true })).body.results).toEqual([]);
  // Without it the answer is what it was.
  expect(Object.keys((await send({ sql: 'select 1' })).body)).toEqual([
    'status',
    'schema',
    'rows',
    'row_count',
    'fields',
  ]);
});

test.each([
  ['first', 'select pg_sleep(0.3); select 1; select 2', 0],
  ['in between', 'select 1; select pg_sleep(0.3); select 2', 1],
  ['last', 'select 1; select 2; select pg_sleep(0.3)', 2],
] as const)(
  'a statement that sleeps %s is told its own time, and its neighbours theirs',
  async (_place, text, slow) => {
    const { body } = await send({ sql: text, each: true });
    const times = (body.results as unknown as { ms: number }[]).map(({ ms }) => ms);
    expect(times[slow]).toBeGreaterThan(250);
    expect(Math.max(...times)).toBe(times[slow]);
  },
);

test('limits hold for all results together, and nothing is kept of what exceeds them', async () => {
  await sql('create table witnesses (id int)');
  const half = 'select generate_series(1, 6000)';
  expect((await send({ sql: half, each: true })).status).toBe(200);
  const both = { sql: `insert into witnesses values (1); ${half}; ${half}`, each: true };
  expectRefusal((await send(both)) as never, 'RESULT_TOO_LARGE', { of: 'rows' });
  const one = { sql: `insert into witnesses values (1); select generate_series(1, 20000); select 1`, each: true };
  expectRefusal((await send(one)) as never, 'RESULT_TOO_LARGE', { of: 'rows' });
  const wide = "select repeat('x', 1024) from generate_series(1, 9000)";
  const bytes = { sql: `insert into witnesses values (1); ${Array(4).fill(wide).join(';')}`, each: true };
  expect((await send(bytes)).body).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  expect(await rowsOf({ sql: 'select count(*)::int from witnesses' })).toEqual([{ count: 0 }]);
  const later = await send({ sql: 'select generate_series(1, 20000); select 1/0', each: true });
  expect(later.body).toMatchObject({ code: 'RESULT_TOO_LARGE' });
});

test('under a key each statement is answered again as it was, and run once', async () => {
  await sql('create table once_only (id serial)');
  const keyed = { 'idempotency-key': 'each of them' };
  const body = {
    sql: 'insert into once_only default values returning id; select count(*)::int from once_only',
    each: true,
  };
  const first = await send(body, keyed);
  const again = await send(body, keyed);
  expect(first.body.results).toMatchObject([{ rows: [{ id: 1 }] }, { rows: [{ count: 1 }] }]);
  expect(again.body).toEqual(first.body);
});

test('the graph offers the same', async () => {
  const document = `mutation ($input: RunSqlInput!) { runSql(input: $input) {
    rowCount results { command rowCount rows position ms fields { name type } } markdown } }`;
  const input = {
    project: projectId,
    sql: 'select title from notes; select 2 as two',
    each: true,
    rollback: true,
    as: { role: 'AUTHENTICATED', user: bob },
  };
  const { data, errors } = await service.graphql(key, document, { input });
  expect(errors).toBeUndefined();
  expect(data.runSql).toMatchObject({
    rowCount: null,
    results: [
      { command: 'SELECT 1', rows: [{ title: 'of Bob' }], fields: [{ name: 'title', type: 'text' }] },
      { command: 'SELECT 1', rows: [{ two: 2 }] },
    ],
    markdown: expect.stringMatching(/title[\s\S]*of Bob[\s\S]*two/),
  });
});
