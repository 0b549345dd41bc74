import { createClient } from 'graphql-ws';
import { afterAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { GraphQLAnswer } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from '../project-data/data-project.ts';
import { dataOf } from './graph-project.ts';

const service = await sharedService();
const project = await dataProject(service);
afterAll(() => service.stop());

const path = `/projects/v1/${project.projectId}/graphql`;
const askAs =
  (key: string) =>
  async (query: string, variables: object = {}): Promise<GraphQLAnswer> =>
    (await service.call<GraphQLAnswer>(service.actors.apikey(key), 'POST', path, { body: { query, variables } })).body;
const all = askAs(project.serviceKey);
const any = askAs(project.anonKey);
const codes = ({ errors }: GraphQLAnswer) => errors?.map(({ extensions }) => extensions.code);

const open = (name: string, live = false) => ({
  name,
  expose: true,
  policy: 'public_read_write_UNRESTRICTED',
  i_understand_this_is_unrestricted: true,
  live,
});

test('what SQL makes and takes away is seen at once', async () => {
  expect(codes(await all('{ things { totalCount } }'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  await project.sql('create table things (id int primary key)');
  expect(dataOf(await all('{ things { totalCount } }'))).toEqual({ things: { totalCount: 0 } });
  expect(codes(await all('{ things { nodes { name } } }'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  await project.sql("alter table things add name text; insert into things values (1, 'a')");
  expect(dataOf(await all('{ things { nodes { name } } }'))).toEqual({ things: { nodes: [{ name: 'a' }] } });
  await project.sql('alter table things rename name to title');
  expect(codes(await all('{ things { nodes { name } } }'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(dataOf(await all('{ things { nodes { title } } }'))).toEqual({ things: { nodes: [{ title: 'a' }] } });
  await project.sql('create function twice(n int) returns int language sql stable as $$ select n * 2 $$');
  expect(dataOf(await all('{ twice(args: { n: 4 }) }'))).toEqual({ twice: 8 });
});

test('what goes behind the gateway’s back is seen as well, in what is asked and in how it fails', async () => {
  await project.sql('create table gone (id int primary key, name text)');
  expect(dataOf(await all('{ gone { nodes { id name } } }'))).toEqual({ gone: { nodes: [] } });
  const { services } = service.app;
  const [row] = await service.control.sql<{ server: string; database_name: string; role_name: string }>(
    'select server, database_name, role_name from projects where id = $1',
    [project.projectId],
  );
  const database = { server: row!.server, databaseName: row!.database_name, roleName: row!.role_name };
  const behind = (text: string) =>
    services.projectPools.run(database, [
      { name: undefined, text: "select set_config('role', 'service_role', true)", values: [] },
      { name: undefined, text, values: [] },
    ]);
  await behind('alter table public.gone drop column name');
  expect(codes(await all('{ gone { nodes { id name } } }'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(dataOf(await all('{ gone { nodes { id } } }'))).toEqual({ gone: { nodes: [] } });
  await behind('drop table public.gone');
  expect(codes(await all('{ gone { nodes { id } } }'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
});

test('a table is dark until the manifest exposes it, and again when it no longer does', async () => {
  await project.sql("create table posts (id int primary key, body text); insert into posts values (1, 'x')");
  const read = '{ posts { nodes { id } } }';
  expect(codes(await any(read))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect((await project.expose({ tables: [open('posts')] })).status).toBe(200);
  expect(dataOf(await any(read))).toEqual({ posts: { nodes: [{ id: 1 }] } });
  expect((await project.expose({ tables: [] })).status).toBe(200);
  expect(codes(await any(read))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(dataOf(await all(read))).toEqual({ posts: { nodes: [{ id: 1 }] } });
});

interface Told {
  readonly cursor: string;
  readonly hint: { readonly op: string; readonly pk: unknown; readonly n: number; readonly table: string } | null;
  readonly resync: unknown;
}
const hints = (field: string, after?: string) =>
  `subscription { ${field}${after === undefined ? '' : `(after: "${after}")`} { cursor hint { table op pk n } resync { reason } } }`;

function socket(key: string) {
  return createClient({
    url: `${service.url.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { apikey: key },
  });
}

test('a live table has a subscription, which a rebuild of the schema does not end, and which resumes', async () => {
  await project.sql('create table feed (id int primary key, body text); create table quiet (id int primary key)');
  expect((await project.expose({ tables: [open('feed', true), open('quiet')] })).status).toBe(200);
  const types = dataOf(await any('{ __schema { subscriptionType { fields { name } } } }')).__schema;
  expect(types.subscriptionType.fields).toEqual([{ name: 'feedHints' }]);
  const client = socket(project.anonKey);
  const events = client.iterate<{ feedHints: Told }>({ query: hints('feedHints') });
  const next = async (): Promise<Told> => {
    const { value } = await events.next();
    expect(value.errors).toBeUndefined();
    return value.data.feedHints;
  };
  const begun = await next();
  expect(begun).toMatchObject({ hint: null, resync: null });
  dataOf(await any('mutation { insertFeed(rows: [{ id: 1 }, { id: 2 }]) { affectedCount } }'));
  expect((await next()).hint).toEqual({ table: 'feed', op: 'INSERT', pk: [{ id: 1 }, { id: 2 }], n: 2 });
  // A column more: those who ask now see another schema.
  await project.sql('alter table feed add more int');
  dataOf(await any('mutation { updateFeed(set: { more: 5 }, where: { id: { eq: 1 } }) { rows { more } } }'));
  const changed = await next();
  expect(changed.hint).toEqual({ table: 'feed', op: 'UPDATE', pk: [{ id: 1 }], n: 1 });
  await events.return?.();
  await project.sql('delete from feed');
  const resumed = client.iterate<{ feedHints: Told }>({ query: hints('feedHints', changed.cursor) });
  const told: (Told['hint'] | undefined)[] = [];
  while (!told.some((hint) => hint?.op === 'DELETE')) {
    const { value } = await resumed.next();
    if (value.data.feedHints.hint !== null) told.push(value.data.feedHints.hint);
  }
  expect(told).toEqual([{ table: 'feed', op: 'DELETE', pk: [{ id: 2 }, { id: 1 }], n: 2 }]);
  await resumed.return?.();
  await client.dispose();
});

test('the same comes as an event stream', async () => {
  const gone = new AbortController();
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { apikey: project.anonKey, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: hints('feedHints') }),
    signal: gone.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The stream ended: ${text}`);
      text += value;
    }
  };
  await until('"hint":null');
  dataOf(await all('mutation { insertFeed(rows: [{ id: 9 }]) { affectedCount } }'));
  await until('"op":"INSERT","pk":[{"id":9}],"n":1');
  gone.abort();
});

test('queries and changes go over the socket as well, each with the schema of its time', async () => {
  const client = socket(project.serviceKey);
  const ask = async (query: string) => (await client.iterate({ query }).next()).value as GraphQLAnswer;
  expect(dataOf(await ask('{ quiet { totalCount } }'))).toEqual({ quiet: { totalCount: 0 } });
  await project.sql('create table later (id int primary key)');
  expect(dataOf(await ask('mutation { insertLater(rows: [{ id: 1 }]) { rows { id } } }'))).toEqual({
    insertLater: { rows: [{ id: 1 }] },
  });
  await client.dispose();
});

test('what is not live has no subscription, and a key of another project opens no socket', async () => {
  expect(codes(await any(hints('quietHints')))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  const other = await service.project();
  for (const key of [other.anonKey, 'nonsense']) {
    const closed = new Promise((resolve) => {
      const client = createClient({
        url: `${service.url.replace(/^http/, 'ws')}${path}`,
        webSocketImpl: WebSocket,
        lazy: false,
        retryAttempts: 0,
        connectionParams: { apikey: key },
        onNonLazyError: () => undefined,
        on: { closed: (event) => resolve((event as { code: number }).code) },
      });
      void client;
    });
    expect(await closed).toBe(4403);
  }
});

test('hints of rows with owners are for those who are signed in', async () => {
  await project.sql('create table own (id int primary key, owner uuid)');
  const table = { name: 'own', expose: true, policy: 'user_owns_rows', owner_column: 'owner', live: true };
  expect((await project.expose({ tables: [table] })).status).toBe(200);
  const client = socket(project.anonKey);
  const { value } = await client.iterate({ query: hints('ownHints') }).next();
  expect((value as GraphQLAnswer).errors?.[0]?.extensions.code).toBe('AUTH_REQUIRED');
  await client.dispose();
});
