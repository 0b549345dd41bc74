import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import {
  createClient,
  gt,
  isIn,
  type LiveEvent,
  projectKey,
  projectUser,
  SvcError,
  type UserTokens,
} from '../../clients/sdk/src/index.ts';
import { startService } from '../helpers/service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await startService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { client, project, anonKey, serviceKey } = await ownProject(service);
await client.projects.sql({
  project,
  sql: `create table notes (id bigint generated always as identity primary key, made_by text, stars int);
    create table private_notes (id bigint generated always as identity primary key, owner_id uuid, body text);
    create table marks (key text primary key, n int);
    create function doubled(n int) returns int language sql immutable as 'select n * 2'`,
});
await client.projects.applyExpose({
  project,
  manifest: {
    version: 1,
    tables: [
      {
        name: 'notes',
        expose: true,
        live: true,
        policy: 'public_read_write_UNRESTRICTED',
        i_understand_this_is_unrestricted: true,
      },
      {
        name: 'private_notes',
        expose: true,
        live: true,
        policy: 'user_owns_rows',
        owner_column: 'owner_id',
        force_owner_on_insert: true,
      },
    ],
    rpcs: [{ name: 'doubled', signature: '(n int)', grant_to: ['anon'] }],
  },
});
const anon = createClient({ baseUrl: service.url, credential: projectKey({ key: anonKey }) });
const server = createClient({ baseUrl: service.url, credential: projectKey({ key: serviceKey }) });

interface Note {
  readonly id: number;
  readonly made_by: string;
  readonly stars: number;
}

test('rows are read, written, counted and gone through, with their own names', async () => {
  const notes = anon.rest<Note>('notes');
  const made = await notes.insert([
    { made_by: 'ada', stars: 1 },
    { made_by: 'bob', stars: 2 },
    { made_by: 'a"b,c', stars: 3 },
  ]);
  expect(made.map(({ made_by }) => made_by)).toEqual(['ada', 'bob', 'a"b,c']);
  expect(await notes.select({ columns: 'made_by', where: { stars: gt(1) }, order: 'id.desc', limit: 1 })).toEqual([
    { made_by: 'a"b,c' },
  ]);
  expect(await notes.count({ made_by: isIn(['ada', 'a"b,c']) })).toBe(2);
  expect(await notes.update({ stars: 9 }, { made_by: 'eq.bob' })).toMatchObject([{ made_by: 'bob', stars: 9 }]);
  expect(await notes.delete({ stars: ['gte.1', 'lt.3'] })).toMatchObject([{ made_by: 'ada' }]);
  expect(await anon.rpc('doubled', { n: 21 })).toBe(42);
  expect(await anon.rpc('doubled', { n: 4 }, { get: true })).toBe(8);
  const all = server.rest<Note>('notes', { admin: true });
  await all.insert(Array.from({ length: 1_100 }, (_none, stars) => ({ made_by: 'many', stars })));
  const seen: number[] = [];
  for await (const { stars } of all.each({ where: { made_by: 'eq.many' }, order: 'id' })) seen.push(stars);
  expect(seen).toEqual(Array.from({ length: 1_100 }, (_none, stars) => stars));
  const some: number[] = [];
  for await (const { stars } of all.each({ where: { made_by: 'eq.many' }, order: 'id', limit: 1_050, offset: 10 }))
    some.push(stars);
  expect(some).toEqual(seen.slice(10, 1_060));
  await all.delete({ made_by: 'eq.many' });
});

test('gone through by a column, no row is left out and none comes twice, whatever comes and goes meanwhile', async () => {
  const all = server.rest<Note>('notes', { admin: true });
  await all.insert(Array.from({ length: 1_500 }, (_none, stars) => ({ made_by: 'moving', stars })));
  const seen: number[] = [];
  for await (const { stars } of all.each({ columns: 'id,stars', where: { made_by: 'eq.moving' }, by: 'id' })) {
    seen.push(stars);
    // What was read already goes, which moves all that is behind it.
    if (stars === 999) await all.delete({ made_by: 'eq.moving', stars: 'lt.700' });
  }
  expect(seen).toEqual(Array.from({ length: 1_500 }, (_none, stars) => stars));
  const between: number[] = [];
  const where = { made_by: 'eq.moving', id: ['gt.0'], stars: ['gte.700', 'lt.1200'] };
  for await (const { stars } of all.each({ where, by: 'id', limit: 30, offset: 5 })) between.push(stars);
  expect(between).toEqual(Array.from({ length: 30 }, (_none, at) => 705 + at));
  await all.delete({ made_by: 'eq.moving' });
});

test('a column that says no place ends the way through, rather than to begin anew for ever', async () => {
  const all = server.rest<Note>('notes', { admin: true });
  await all.insert(Array.from({ length: 1_001 }, () => ({ made_by: 'nowhere' })));
  const through = async (columns: string, by: string) => {
    for await (const _row of all.each({ columns, where: { made_by: 'eq.nowhere' }, by }));
  };
  await expect(through('id,stars', 'stars')).rejects.toThrow('stars has to be selected, and a text or a number');
  await expect(through('stars', 'id')).rejects.toThrow('id has to be selected');
  await through('id::text', 'id');
  await all.delete({ made_by: 'eq.nowhere' });
});

test('rows are all changed where that is said, and none where it was forgotten', async () => {
  const marks = server.rest<{ key: string; n: number }>('marks', { admin: true });
  await marks.insert([
    { key: 'x', n: 1 },
    { key: 'y', n: 1 },
  ]);
  await expect(marks.delete(undefined as never)).rejects.toThrow('which rows');
  await expect(marks.update({ n: 7 }, undefined as never)).rejects.toThrow('which rows');
  await expect(marks.delete({})).rejects.toThrow('which rows');
  const all = { key: 'not.is.null' };
  expect((await marks.update({ n: 9 }, all)).every(({ n }) => n === 9)).toBe(true);
  await marks.delete(all);
  expect(await marks.count()).toBe(0);
});

test('a count that got lost on its way is an error, not a number', async () => {
  const stripped = createClient({
    baseUrl: service.url,
    credential: projectKey({ key: anonKey }),
    fetch: async (url, init) => new Response(null, { status: (await fetch(url, init)).status }),
  });
  await expect(stripped.rest('notes').count()).rejects.toMatchObject({ code: 'API_ERROR' });
});

test('a row that is there already is merged, or left alone', async () => {
  const marks = server.rest<{ key: string; n: number }>('marks', { admin: true });
  await marks.insert({ key: 'a', n: 1 });
  expect(await marks.insert({ key: 'a', n: 2 }, { onConflict: 'key' })).toEqual([{ key: 'a', n: 2 }]);
  expect(await marks.insert({ key: 'a', n: 3 }, { duplicates: 'ignore' })).toEqual([]);
  expect(await marks.select()).toEqual([{ key: 'a', n: 2 }]);
});

test('what the database refuses is an error with its code', async () => {
  const error = await anon
    .rest('notes')
    .select({ where: { none: 'eq.1' } })
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcError);
  expect(error).toMatchObject({ code: '42703', status: 400 });
});

async function signedIn(email: string) {
  await anon.auth.signup({ email, password: 'correct horse battery' });
  return anon.auth.token({ grantType: 'password', email, password: 'correct horse battery' });
}

test('a user signs up, sees its own rows, and stays signed in when its token has expired', async () => {
  const tokens = await signedIn('ada@example.com');
  expect(tokens.user.email).toBe('ada@example.com');
  const told: (UserTokens | undefined)[] = [];
  const credential = projectUser({
    baseUrl: service.url,
    key: anonKey,
    tokens: { ...tokens, accessToken: `${tokens.accessToken.slice(0, -4)}AAAA` },
    onTokens: (next) => told.push(next),
  });
  const ada = createClient({ baseUrl: service.url, credential });
  const [row] = await ada.rest('private_notes').insert({ body: 'mine' });
  expect(row).toMatchObject({ body: 'mine', owner_id: tokens.user.id });
  expect(told).toHaveLength(1);
  expect(told[0]!.refreshToken).not.toBe(tokens.refreshToken);
  expect(await anon.rest('private_notes').select()).toEqual([]);
  expect(await ada.auth.user()).toMatchObject({ email: 'ada@example.com' });
  const { sessions } = await ada.auth.accountSessions();
  expect(sessions).toHaveLength(1);
  await ada.auth.logout({});
  await expect(ada.auth.user()).rejects.toMatchObject({ status: 401 });
  // A session that is over is not begun again, and its keeper hears of it.
  expect(told.at(-1)).toBeUndefined();
});

test('a graph of the project is asked by the same client', async () => {
  const { notes } = await anon.graphql<{ notes: { nodes: Note[] } }>(
    '{ notes(first: 1) { nodes { id } } }',
    {},
    { project },
  );
  expect(notes.nodes).toHaveLength(1);
});

const taken = async (events: AsyncGenerator<LiveEvent>, type: LiveEvent['type']) => {
  for (;;) {
    const { value } = await events.next();
    if (value?.type === type) return value;
  }
};

test.each(['stream', 'held'] as const)('changes are told by a %s, and after a break without a gap', async (by) => {
  const there = createClient({ baseUrl: road.url, credential: projectKey({ key: anonKey }), retry: { pauseMs: 1 } });
  const events = there.live({ project, tables: ['notes'], by });
  await taken(events, 'ready');
  const notes = server.rest<Note>('notes', { admin: true });
  const [one] = await notes.insert({ made_by: 'one', stars: 0 });
  expect(await taken(events, 'change')).toMatchObject({ table: 'notes', op: 'insert', pk: [{ id: one!.id }], n: 1 });
  road.plan('cut');
  road.cut();
  const [two] = await notes.insert({ made_by: 'two', stars: 0 });
  await notes.delete({ id: `eq.${two!.id}` });
  expect(await taken(events, 'change')).toMatchObject({ op: 'insert', pk: [{ id: two!.id }] });
  expect(await taken(events, 'change')).toMatchObject({ op: 'delete', pk: [{ id: two!.id }] });
  await events.return();
});

test('where no stream comes through, changes are told by held reads', async () => {
  // A proxy that answers streams with a page of its own.
  const proxy = createServer(async (request, response) => {
    if (request.url!.startsWith('/live/v1?')) {
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<p>A page.</p>');
    }
    const answer = await fetch(service.url + request.url, { headers: { apikey: String(request.headers.apikey) } });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  proxy.listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const events = createClient({ baseUrl, credential: projectKey({ key: anonKey }) }).live({
    project,
    tables: ['notes'],
  });
  await taken(events, 'ready');
  const [one] = await server.rest<Note>('notes', { admin: true }).insert({ made_by: 'held', stars: 0 });
  expect(await taken(events, 'change')).toMatchObject({ op: 'insert', pk: [{ id: one!.id }] });
  await events.return();
  proxy.close();
  proxy.closeAllConnections();
});

test('a table that may not be followed is refused', async () => {
  const error = await anon
    .live({ project, tables: ['private_notes'] })
    .next()
    .catch((one: unknown) => one);
  expect(error).toBeInstanceOf(SvcError);
  expect((error as SvcError).status).toBeGreaterThanOrEqual(400);
});
