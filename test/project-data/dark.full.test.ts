import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataProject } from './data-project.ts';
import { type DarkWorld, darkDoors, darkManifest, darkSchema, lightManifest, secret } from './hidden-names.ts';

const service = await startService();
afterAll(() => service.stop());
const project = await dataProject(service);
await project.sql(darkSchema);
const anon = service.actors.apikey(project.anonKey);
const credentials = { body: { email: 'ada@example.com', password: 'correct horse battery' } };
await service.call(anon, 'POST', '/auth/v1/signup', credentials);
const signedIn = await service.call<{ access_token: string }>(
  anon,
  'POST',
  '/auth/v1/token?grant_type=password',
  credentials,
);
const user = {
  headers: async () => ({ apikey: project.anonKey, authorization: `Bearer ${signedIn.body.access_token}` }),
};
const world = (caller: DarkWorld['caller']): DarkWorld => ({
  projectId: project.projectId,
  caller,
  call: service.call,
});
const callers = [
  ['anon', anon],
  ['a signed-in user', user],
] as const;
const doors = callers.flatMap(([who, caller]) =>
  darkDoors.map((door) => [`${door.name}, ${who}`, door, caller] as const),
);

test.each(doors)('a table is dark until exposed: %s', async (_name, door, caller) => {
  expect((await project.expose(darkManifest)).status).toBe(200);
  const before = await project.sql('select * from dark order by id');
  const { status, headers, text } = await door.ask(world(caller));
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(status, text).toBeLessThan(500);
  expect(text).not.toContain(secret);
  expect(headers.get('content-range') ?? '').not.toMatch(/\d/);
  expect(await project.sql('select * from dark order by id')).toEqual(before);
});

test.each(doors)('once exposed it is seen, so the door was one: %s', async (_name, door, caller) => {
  expect((await project.expose(lightManifest)).status).toBe(200);
  const { status, text } = await door.ask(world(caller));
  expect(status, text).toBeLessThan(300);
  if (door.changes === undefined) expect(text).toContain(secret);
});

test('what is taken back is dark again', async () => {
  expect((await project.expose(darkManifest)).status).toBe(200);
  for (const [, caller] of callers)
    for (const door of darkDoors) {
      const { status, text } = await door.ask(world(caller));
      expect({ door: door.name, refused: status >= 400, told: text.includes(secret) }).toEqual({
        door: door.name,
        refused: true,
        told: false,
      });
    }
});

// PostgreSQL looks at names and types before rights; whoever may not see a table is not to learn them by trying.
test.each([
  [
    'GET',
    'dark',
    ['select=word', 'select=nothing', 'nothing=eq.1', 'id=eq.text', 'order=nothing', 'select=missing(id)'],
  ],
  ['POST', 'dark', ['', 'columns=nothing', 'on_conflict=nothing']],
  ['PATCH', 'dark', ['id=eq.2', 'nothing=eq.1']],
  ['DELETE', 'dark', ['id=eq.2', 'nothing=eq.1', '']],
  ['GET', 'near', ['select=dark(word)', 'select=dark(nothing)', 'select=dark()&dark.id=eq.text']],
  ['GET', 'rpc/tell', ['', 'nothing=1', 'select=nothing']],
  ['GET', 'rpc/overloaded', ['', 'a=1', 'b=1', 'a=text']],
])('what is dark refuses every question in the same words: %s %s', async (method, path, searches) => {
  await project.sql(`create or replace function overloaded(a int) returns int language sql as 'select 1';
    create or replace function overloaded(a text) returns int language sql as 'select 1'`);
  expect((await project.expose(darkManifest)).status).toBe(200);
  for (const [, caller] of callers) {
    const answers: { readonly status: number; readonly said: unknown }[] = [];
    for (const search of searches) {
      const body = method === 'POST' ? { body: { nothing: 1 } } : method === 'PATCH' ? { body: { id: 'text' } } : {};
      const answer = await service.call<Record<string, unknown>>(caller, method, `/rest/v1/${path}?${search}`, body);
      const { trace_id: _traceId, ...said } = answer.body;
      answers.push({ status: answer.status, said });
    }
    // What is embedded is not there for whoever has no right to it.
    expect(path === 'near' ? [400] : [401, 403]).toContain(answers[0]!.status);
    expect(answers).toEqual(answers.map(() => answers[0]));
  }
});

test('a function is called where overloads of it are dark', async () => {
  await project.sql(`create or replace function overloaded(a int) returns int language sql as 'select 1';
    create or replace function overloaded(a text) returns int language sql as 'select 2'`);
  const rpcs = [{ name: 'overloaded', signature: '(a int)', grant_to: ['anon'] }];
  expect((await project.expose({ ...darkManifest, rpcs })).status).toBe(200);
  expect(await project.anon('POST', 'rpc/overloaded', { body: { a: 5 } })).toMatchObject({ status: 200, body: 1 });
  expect((await project.admin('POST', 'rpc/overloaded', { body: { a: 5 } })).status).toBe(300);
});

test('a view that the tenant made is as dark as a table, and the admin door sees all', async () => {
  expect((await project.anon('GET', 'seen')).status).toBe(403);
  expect((await project.admin('GET', 'seen?id=eq.1')).text).toContain(secret);
  expect((await project.admin('GET', 'dark?id=eq.1')).text).toContain(secret);
  expect((await project.admin('GET', 'near?select=dark(word)')).text).toContain(secret);
  expect((await project.admin('GET', 'rpc/tell')).text).toContain(secret);
});

test('an anonymous read of a table of owners is an empty list, and every write is refused', async () => {
  const owned = { name: 'dark', expose: true, policy: 'user_owns_rows', owner_column: 'owner' };
  expect((await project.expose({ tables: [owned] })).status).toBe(200);
  expect(await project.anon('GET', 'dark')).toMatchObject({ status: 200, body: [] });
  const counted = await project.anon('GET', 'dark', { headers: { prefer: 'count=exact' } });
  expect(counted.headers.get('content-range')).toBe('*/0');
  expect((await project.anon('HEAD', 'dark')).status).toBe(200);
  for (const [method, path, body] of [
    ['POST', 'dark', { id: 9 }],
    ['PATCH', 'dark?id=eq.1', { word: 'x' }],
    ['DELETE', 'dark?id=eq.1', undefined],
    ['PUT', 'dark?id=eq.1', { id: 1, word: 'x', owner: null, far_id: 1 }],
  ] as const)
    expect(await project.anon(method, path, body === undefined ? {} : { body })).toMatchObject({
      status: 401,
      body: { code: '42501' },
    });
  expect(await project.sql('select word from dark where id = 1')).toEqual([{ word: secret }]);
});
