import { afterAll, expect, test } from 'vitest';
import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

/* Lines of contract 01, sections 1.20 and 2.1 to 2.5, that no other file of this folder holds. */

const service = await startService();
const schema = `create table notes (id int primary key, text text default 'none');
  grant select, insert, update, delete on notes to anon;
  create function nothing() returns void language sql as '';
  grant execute on function nothing() to anon;`;
const project = await rowsProject(service, schema);
const hurried = await rowsProject(service, schema);
afterAll(async () => {
  await project.end();
  await hurried.end();
  await service.stop();
});

const { admin, open } = project;
const { call, actors } = service;

test('2.1 the service key is enough as apikey, as bearer and as both, by every method', async () => {
  const apikey = { apikey: project.serviceKey };
  const bearer = { authorization: `Bearer ${project.serviceKey}` };
  for (const headers of [apikey, bearer, { ...apikey, ...bearer }]) {
    const by = async (method: string, path: string, body?: object) =>
      (await call(actors.nobody, method, `/admin/v1/rest/${path}`, { headers, ...(body && { body }) })).status;
    expect(await by('POST', 'notes', { id: 1 })).toBe(201);
    expect(await by('GET', 'notes?id=eq.1')).toBe(200);
    expect(await by('HEAD', 'notes?id=eq.1')).toBe(200);
    expect(await by('PUT', 'notes?id=eq.1', { id: 1, text: 'put' })).toBe(204);
    expect(await by('PATCH', 'notes?id=eq.1', { text: 'patched' })).toBe(204);
    expect(await by('DELETE', 'notes')).toBe(204);
  }
});

test('2.1 the path above the tables describes nothing', async () => {
  for (const path of ['/rest/v1/', '/rest/v1', '/rest/v1/rpc', '/rest/v1/rpc/'])
    expect([path, (await call(project.anon, 'GET', path)).status]).toEqual([path, 404]);
  expect((await call(project.service, 'GET', '/admin/v1/rest/')).status).toBe(404);
});

test('2.1 profiles that are asked for are not looked at, on writes and calls neither', async () => {
  const headers = { 'accept-profile': 'auth', 'content-profile': '_svc', prefer: 'return=representation' };
  const made = await open('POST', 'notes', { body: { id: 2 }, headers });
  expect([made.status, made.body]).toEqual([201, [{ id: 2, text: 'none' }]]);
  expect((await open('PATCH', 'notes?id=eq.2', { body: { text: 'x' }, headers })).body).toEqual([{ id: 2, text: 'x' }]);
  expect((await open('DELETE', 'notes?id=eq.2', { headers })).body).toEqual([{ id: 2, text: 'x' }]);
  expect((await open('POST', 'rpc/nothing', { body: {}, headers })).status).toBe(204);
});

test('2.3 nobody may keep an answer, whatever it is', async () => {
  const kept: Record<string, unknown> = {};
  const note = async (name: string, asked: ReturnType<typeof open>) => {
    const { status, headers } = await asked;
    kept[name] = [status, headers.get('cache-control')];
  };
  await note('insert', open('POST', 'notes', { body: { id: 3 } }));
  await note('read', open('GET', 'notes'));
  await note('head', open('HEAD', 'notes'));
  await note('csv', open('GET', 'notes', { headers: { accept: 'text/csv' } }));
  await note('update', open('PATCH', 'notes?id=eq.3', { body: { text: 'x' } }));
  await note('put', open('PUT', 'notes?id=eq.3', { body: { id: 3 } }));
  await note('call', open('POST', 'rpc/nothing', { body: {} }));
  await note('refusal', open('GET', 'notes?nothing=eq.1'));
  await note('absent', open('GET', 'nowhere'));
  await note('delete', open('DELETE', 'notes?id=eq.3'));
  const as = (status: number) => [status, 'private, no-store'];
  expect(kept).toEqual({
    insert: as(201),
    read: as(200),
    head: as(200),
    csv: as(200),
    update: as(204),
    put: as(204),
    call: as(204),
    refusal: as(400),
    absent: as(404),
    delete: as(204),
  });
});

test('2.3 an update of nothing that is to be shown is an empty list', async () => {
  const full = prefer('return=representation');
  expect(await admin('PATCH', 'notes?id=eq.99', { body: { text: 'x' }, ...full })).toMatchObject({
    status: 200,
    body: [],
  });
  expect(await admin('DELETE', 'notes?id=eq.99', full)).toMatchObject({ status: 200, body: [] });
  expect((await admin('PATCH', 'notes?id=eq.99', { body: { text: 'x' } })).status).toBe(204);
});

test('2.2 a change without a filter is refused whatever it sends, and by any of them it is one', async () => {
  await admin('POST', 'notes', { body: [{ id: 4 }, { id: 5 }] });
  for (const search of ['', '?select=id', '?limit=1', '?order=id&offset=0', '?columns=text'])
    for (const method of ['PATCH', 'DELETE'])
      expect(await open(method, `notes${search}`, method === 'PATCH' ? { body: { text: 'all' } } : {})).toMatchObject({
        status: 400,
        body: { code: '21000' },
      });
  expect(await project.sql("select count(*)::int as rows from notes where text = 'none'")).toEqual([{ rows: 2 }]);
  expect((await open('PATCH', 'notes?or=(id.eq.4,id.eq.5)', { body: { text: 'both' } })).status).toBe(204);
  expect((await open('DELETE', 'notes?and=(text.eq.both)')).status).toBe(204);
  expect(await project.sql('select 1 from notes')).toEqual([]);
});

test('1.20 rows and sign-in of a project share a hundred requests a second on each node', async () => {
  const { services } = service.app;
  const { rateLimiter: usual } = services;
  // By a clock that stands, so that it does not matter how long they take.
  let now = 0;
  Object.assign(services, { rateLimiter: new RateLimiter(() => now) });
  // What is kept back for users and for sign-in is there beside the first hundred, and has to be saved up again.
  for (const answered of [120, 100]) {
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, nth) =>
        call<Record<string, unknown>>(hurried.anon, 'GET', nth % 2 === 0 ? '/rest/v1/notes' : '/auth/v1/providers'),
      ),
    );
    // Seventy-five of each: were they not counted together, none would be too many.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answered);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(150 - answered);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retry_after: 1 });
      expect(headers.get('retry-after')).toBe('1');
    }
    now += 1_000;
  }
  now -= 1_000;
  // The project's own service is not counted with them, and other projects are not either.
  expect((await hurried.admin('GET', 'notes')).status).toBe(200);
  expect((await open('GET', 'notes')).status).toBe(200);
  expect((await hurried.open('GET', 'notes')).status).toBe(429);
  Object.assign(services, { rateLimiter: usual });
});
