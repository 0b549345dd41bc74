import { afterAll, expect, test } from 'vitest';
import { authProject } from '../auth/auth-project.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { chargeProject, minuteOfRequests } from '../helpers/project-rate.ts';
import type { GraphQLAnswer } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataOf } from './graph-project.ts';

const service = await sharedService();
const tables = `create table songs (id int primary key, title text);
   insert into songs values (1, 'one'), (2, 'two');
   create table hidden_things (id int primary key, song_id int references songs);
   create table notes (id serial primary key, owner uuid not null default auth.uid(), body text);
   create table inbox (id int primary key, body text);
   create table partly (id int primary key, shown text, secret text);
   insert into partly values (1, 'a', 'b');
   alter table notes enable row level security;
   create policy own on notes using (owner = auth.uid()) with check (owner = auth.uid());
   grant select on songs to anon, authenticated, project_admin;
   grant select, insert, update, delete on notes to authenticated, project_admin;
   grant select on notes to anon;
   grant insert on inbox to anon;
   grant select (id, shown), update (shown) on partly to anon;
   grant usage on all sequences in schema public to authenticated, project_admin;
   create function listed() returns int language sql stable as 'select 7';
   create function unlisted() returns setof hidden_things language sql stable as 'select * from hidden_things';
   create function opened() returns setof hidden_things language sql stable security definer as 'select * from hidden_things';
   revoke execute on function unlisted() from public;`;
const project = await authProject(service, tables);
const other = await authProject(service, 'create table songs (id int primary key, title text)');
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { actors, call } = service;
const path = `/projects/v1/${project.projectId}/graphql`;

const ask = (headers: Record<string, string>, query: string, variables = {}, at = path) =>
  call<GraphQLAnswer & { code?: string; error?: string }>(actors.nobody, 'POST', at, {
    body: { query, variables },
    headers,
  });
const byKey = (key: string) => ({ apikey: key });
const asUser = (token: string, key = project.anonKey) => ({ apikey: key, authorization: `Bearer ${token}` });
const songs = '{ songs(orderBy: [{ id: ASC }]) { nodes { id } } }';

interface Introspected {
  readonly types: { readonly name: string; readonly fields: { readonly name: string }[] | null }[];
}
async function introspected(
  headers: Record<string, string>,
): Promise<{ text: string; fields: (type: string) => string[] }> {
  const { body } = await ask(headers, '{ __schema { types { name fields { name } } } }');
  const { types } = dataOf(body).__schema as Introspected;
  const fields = (type: string) => types.find(({ name }) => name === type)?.fields?.map(({ name }) => name) ?? [];
  return { text: JSON.stringify(types), fields };
}

test('one path takes the keys of rows, as apikey, as bearer and as both', async () => {
  for (const key of [project.anonKey, project.serviceKey]) {
    const bearer = { authorization: `Bearer ${key}` };
    for (const headers of [byKey(key), bearer, { ...byKey(key), ...bearer }]) {
      expect((await ask(headers, songs)).body).toEqual({ data: { songs: { nodes: [{ id: 1 }, { id: 2 }] } } });
    }
  }
});

test('without a key, with one of nobody’s making, or as a wallet nothing is answered', async () => {
  expectRefusal(await ask({}, songs), 'AUTH_REQUIRED');
  expectRefusal(await ask(byKey(`${project.anonKey.slice(0, -3)}abc`), songs), 'INVALID_AUTH');
  expectRefusal(
    await call(project.auth === undefined ? actors.nobody : actors.wallet(), 'POST', path, { body: { query: songs } }),
    'AUTH_REQUIRED',
  );
});

test('a key of another project is refused alike for every project, one that is not there included', async () => {
  for (const at of [
    path,
    `/projects/v1/${crypto.randomUUID()}/graphql`,
    '/projects/v1/x%00/graphql',
    '/projects/v1/prj_none/graphql',
  ]) {
    for (const key of [other.anonKey, other.serviceKey]) {
      const answer = await ask(byKey(key), songs, {}, at);
      expect([answer.status, answer.body.code, answer.body.error]).toEqual([
        403,
        'FORBIDDEN',
        'project_token_mismatch',
      ]);
    }
  }
  const stranger = await other.signedIn();
  for (const headers of [
    asUser(stranger.access_token),
    asUser(stranger.access_token, other.anonKey),
    byKey(stranger.access_token),
  ]) {
    const answer = await ask(headers, songs);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  }
});

test('a user sees and changes its own rows alone, and nothing once its session is over', async () => {
  const [ada, bob] = [await project.signedIn(), await project.signedIn()];
  const add = 'mutation ($rows: [NotesInsert!]!) { insertNotes(rows: $rows) { rows { owner body } } }';
  const made = await ask(asUser(ada.access_token), add, { rows: [{ body: 'mine' }] });
  expect(dataOf(made.body).insertNotes.rows).toEqual([{ owner: ada.id, body: 'mine' }]);
  const read = '{ notes { totalCount nodes { body } } }';
  expect(dataOf((await ask(asUser(ada.access_token), read)).body).notes.totalCount).toBe(1);
  expect(dataOf((await ask(asUser(bob.access_token), read)).body).notes).toEqual({ totalCount: 0, nodes: [] });
  expect(dataOf((await ask(byKey(project.anonKey), read)).body).notes.totalCount).toBe(0);
  const forged = await ask(asUser(bob.access_token), add, { rows: [{ owner: ada.id, body: 'theirs' }] });
  expect(forged.body.errors?.[0]).toMatchObject({
    path: ['insertNotes'],
    extensions: { code: 'FORBIDDEN', sqlstate: '42501' },
  });
  await project.auth('POST', '/auth/v1/logout', { bearer: ada.access_token, body: {} });
  expectRefusal(await ask(asUser(ada.access_token), read), 'INVALID_AUTH');
});

test('what is not exposed is in no schema but that of the service key', async () => {
  const ada = await project.signedIn();
  for (const headers of [byKey(project.anonKey), asUser(ada.access_token)]) {
    const { text, fields } = await introspected(headers);
    expect(text).not.toMatch(/hidden|secret|unlisted/i);
    expect(fields('Songs')).toEqual(['id', 'title']);
    const { body } = await ask(
      headers,
      '{ hiddenThings { totalCount } songs { nodes { hiddenThings { totalCount } } } }',
    );
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    expect(JSON.stringify(body)).not.toMatch(/did you mean[^"]*hidden/i);
  }
  const { fields } = await introspected(byKey(project.serviceKey));
  expect(fields('Query')).toEqual(expect.arrayContaining(['hiddenThings', 'inbox', 'partly']));
  expect(fields('Songs')).toEqual(['id', 'title', 'hiddenThings']);
  expect(fields('Partly')).toEqual(['id', 'shown', 'secret']);
});

test('rights are shown as they are: columns, changes and functions', async () => {
  const { fields } = await introspected(byKey(project.anonKey));
  expect(fields('Query').sort()).toEqual([
    'listed',
    'notes',
    'notesByPk',
    'opened',
    'partly',
    'partlyByPk',
    'songs',
    'songsByPk',
  ]);
  expect(fields('Mutation').sort()).toEqual(['insertInbox', 'updatePartly']);
  expect(fields('InboxChanges')).toEqual(['affectedCount']);
  expect(fields('Partly')).toEqual(['id', 'shown']);
  const change = await ask(
    byKey(project.anonKey),
    'mutation { insertInbox(rows: [{ id: 1 }]) { affectedCount } updatePartly(set: { shown: "c" }, where: { id: { eq: 1 } }) { rows { shown } } }',
  );
  expect(dataOf(change.body)).toEqual({ insertInbox: { affectedCount: 1 }, updatePartly: { rows: [{ shown: 'c' }] } });
  // What a function shows of a dark table has no type of the table's.
  await project.sql('insert into hidden_things values (1, 1)');
  expect(dataOf((await ask(byKey(project.anonKey), '{ opened listed }')).body)).toEqual({
    opened: [{ id: 1, song_id: 1 }],
    listed: 7,
  });
});

test('a denial of the database says who is not signed in', async () => {
  await project.sql(
    'create table denied (id int primary key); grant select, insert on denied to anon; alter table denied enable row level security',
  );
  const { body } = await ask(byKey(project.anonKey), 'mutation { insertDenied(rows: [{ id: 1 }]) { affectedCount } }');
  expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'AUTH_REQUIRED', sqlstate: '42501' });
});

test('a request counts as a call of the project, and the anon key is held to its rate', async () => {
  const usage = async () => {
    await service.app.services.usage.flush();
    const [row] = await service.control.sql<{ n: string }>(
      'select coalesce(sum(api_calls), 0)::text as n from project_usage where project_id = $1',
      [project.projectId],
    );
    return Number(row!.n);
  };
  const before = await usage();
  await ask(byKey(project.anonKey), '{ a: listed b: listed songs { totalCount } }');
  await ask(byKey(project.serviceKey), '{ listed }');
  expect(await usage()).toBe(before + 2);
  chargeProject(service, project.projectId, minuteOfRequests);
  expectRefusal(await ask(byKey(project.anonKey), '{ __typename }'), 'RATE_LIMITED');
  expect((await ask(byKey(project.serviceKey), '{ __typename }')).status).toBe(200);
  chargeProject(service, project.projectId, -minuteOfRequests);
});

test('methods that GraphQL does not know are 405 with those it does', async () => {
  const answer = await call(actors.apikey(project.anonKey), 'DELETE', path);
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
});

test('documents are held to the limits of the platform, and variables to a depth', async () => {
  const refusedFor = async (query: string, variables = {}) =>
    (await ask(byKey(project.serviceKey), query, variables)).body.errors?.[0]?.extensions;
  expect(
    await refusedFor(`{ ${Array.from({ length: 61 }, (_, index) => `a${index}: listed`).join(' ')} }`),
  ).toMatchObject({ code: 'GRAPHQL_LIMIT_EXCEEDED' });
  expect(
    await refusedFor('{ songs(first: 200) { nodes { hiddenThings(first: 200) { nodes { id } } } } }'),
  ).toMatchObject({ code: 'GRAPHQL_LIMIT_EXCEEDED', details: { limit: 'cost' } });
  let deep: unknown = { id: { eq: 1 } };
  for (let level = 0; level < 150; level++) deep = { not: deep };
  expect(await refusedFor('query ($w: SongsFilter) { songs(where: $w) { totalCount } }', { w: deep })).toMatchObject({
    code: 'GRAPHQL_LIMIT_EXCEEDED',
    details: { limit: 'variables' },
  });
  deep = { id: { eq: 1 } };
  for (let level = 0; level < 40; level++) deep = { not: deep };
  expect(await refusedFor('query ($w: SongsFilter) { songs(where: $w) { totalCount } }', { w: deep })).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});
