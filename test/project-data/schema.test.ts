import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const call = documentedCalls(service);
const { base, key, projectId, wallet } = project;
await project.sql(`
  create type mood as enum ('glad', 'calm', 'blue');
  create table authors (id uuid primary key default gen_random_uuid(), name varchar(40) not null unique);
  create table "Two Words" (id int generated always as identity, author uuid references authors on delete cascade,
    tags text[] default '{}', price numeric(10, 2) check (price >= 0), mood mood, loud boolean generated always as
    (price > 9) stored, constraint tagged exclude (id with =));
  insert into authors (name) select 'a' || n from generate_series(1, 30) n;
  analyze authors;
  create view titles as select name from authors;
  create table parts (id int) partition by range (id);
  create table parts_1 partition of parts for values from (1) to (10)`);
const exposed = { name: 'authors', expose: true, policy: 'public_read_append_only' };
expect((await project.expose({ tables: [exposed] })).status).toBe(200);

const authors = {
  name: 'authors',
  columns: [
    { name: 'id', type: 'uuid', nullable: false, default_value: 'gen_random_uuid()' },
    { name: 'name', type: 'character varying(40)', nullable: false, default_value: null },
  ],
  constraints: [
    { name: 'authors_name_key', type: 'UNIQUE', definition: 'UNIQUE (name)' },
    { name: 'authors_pkey', type: 'PRIMARY KEY', definition: 'PRIMARY KEY (id)' },
  ],
  row_estimate: 30,
};

test('tables are told with their columns, constraints, estimates and policies, and nothing else is', async () => {
  const { status, body } = await call(key, 'GET', `${base}/schema`);
  expect(status).toBe(200);
  expect(body.schema).toBe('public');
  expect(body.tables.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Two Words', 'authors', 'parts']);
  const [two, known] = ['Two Words', 'authors'].map((name) =>
    body.tables.find((one: { name: string }) => one.name === name),
  );
  expect(known).toMatchObject({
    ...authors,
    rls_enabled: true,
    policies: [
      { name: 'svc_append', command: 'INSERT', using_expression: null, check_expression: 'true' },
      { name: 'svc_read', command: 'SELECT', using_expression: 'true', check_expression: null },
    ],
  });
  expect(two).toMatchObject({
    name: 'Two Words',
    columns: [
      { name: 'id', type: 'integer', nullable: false, default_value: null, identity: 'always', generated: false },
      { name: 'author', type: 'uuid', nullable: true, default_value: null },
      { name: 'tags', type: 'text[]', nullable: true, default_value: "'{}'::text[]" },
      { name: 'price', type: 'numeric(10,2)', nullable: true, default_value: null, identity: null, enum_values: null },
      { name: 'mood', type: 'public.mood', enum_values: ['glad', 'calm', 'blue'] },
      { name: 'loud', type: 'boolean', generated: true, default_value: '(price > (9)::numeric)' },
    ],
    rls_enabled: false,
    // Never looked at by the planner.
    row_estimate: null,
    policies: [],
  });
  expect(two.constraints.map(({ type }: { type: string }) => type).toSorted()).toEqual([
    'CHECK',
    'EXCLUDE',
    'FOREIGN KEY',
  ]);
  expect(two.constraints.find(({ type }: { type: string }) => type === 'FOREIGN KEY').definition).toContain(
    'ON DELETE CASCADE',
  );
});

test('the graph tells the same', async () => {
  const { body } = await call(key, 'GET', `${base}/schema`);
  const document = `query ($id: ID!) { project(id: $id) { tables { name rlsEnabled rowEstimate
    columns { name type nullable defaultValue identity generated enumValues } constraints { name type definition }
    policies { name command usingExpression checkExpression } } } }`;
  const { data, errors } = await service.graphql(wallet, document, { id: projectId });
  expect(errors).toBeUndefined();
  // biome-ignore lint/suspicious/noExplicitAny: as documented.
  const expected = body.tables.map((table: any) => ({
    name: table.name,
    rlsEnabled: table.rls_enabled,
    rowEstimate: table.row_estimate,
    // biome-ignore lint/suspicious/noExplicitAny: as documented.
    columns: table.columns.map(({ default_value: defaultValue, enum_values: enumValues, ...rest }: any) => ({
      ...rest,
      defaultValue,
      enumValues,
    })),
    constraints: table.constraints,
    // biome-ignore lint/suspicious/noExplicitAny: as documented.
    policies: table.policies.map(({ name, command, using_expression, check_expression }: any) => ({
      name,
      command,
      usingExpression: using_expression,
      checkExpression: check_expression,
    })),
  }));
  expect(data.project.tables).toEqual(expected);
});

test('a schema is for the project’s own key and members', async () => {
  const other = await service.project();
  const ask = (actor: Parameters<typeof service.call>[0]) => service.call(actor, 'GET', `${base}/schema`);
  expectRefusal(await ask(service.actors.bearer(project.anonKey)), 'AUTH_REQUIRED');
  expectRefusal(await ask(service.actors.bearer(other.serviceKey)), 'FORBIDDEN');
  expectRefusal(await ask(other.wallet), 'NOT_AUTHORIZED');
  expectRefusal(await ask(service.actors.nobody), 'AUTH_REQUIRED');
});

test('a user is made an admin and is one no more, by path and graph, however often it is said', async () => {
  const apikey = service.actors.apikey(project.anonKey);
  const email = 'ada@example.com';
  await service.call(apikey, 'POST', '/auth/v1/signup', { body: { email, password: 'correct horse battery' } });
  const change = (act: string, body: object = { email }) => call(key, 'POST', `${base}/${act}-user`, { body });
  for (let round = 0; round < 2; round++)
    expect(await change('promote')).toMatchObject({
      status: 200,
      body: { status: 'ok', email, user_id: expect.any(String), is_admin: true },
    });
  const asked = (field: string, address = email) =>
    service.graphql(
      wallet,
      `mutation ($input: ${field[0]!.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { email isAdmin } }`,
      { input: { project: projectId, email: address } },
    );
  for (let round = 0; round < 2; round++)
    expect(await asked('demoteProjectUser')).toEqual({ data: { demoteProjectUser: { email, isAdmin: false } } });
  expect(await asked('promoteProjectUser')).toEqual({ data: { promoteProjectUser: { email, isAdmin: true } } });
  for (let round = 0; round < 2; round++)
    expect((await change('demote')).body).toMatchObject({ email, is_admin: false });
  expectRefusal(await change('promote', { email: 'nobody@example.com' }), 'RESOURCE_NOT_FOUND');
  expect((await asked('promoteProjectUser', 'nobody@example.com')).errors?.[0]?.extensions.code).toBe(
    'RESOURCE_NOT_FOUND',
  );
  expectRefusal(await change('promote', { email: 'no address' }), 'VALIDATION_FAILED', { field: 'email' });
  expectRefusal(await change('demote', {}), 'VALIDATION_FAILED', { field: 'email' });
});
