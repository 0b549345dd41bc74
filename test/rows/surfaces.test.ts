import { afterAll, expect, test } from 'vitest';
import { chargeProject, minuteOfRequests } from '../helpers/project-rate.ts';
import type { Answer } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table songs (id int primary key, title text);
   insert into songs values (1, 'one'), (2, 'two');
   create table hidden (id int primary key);
   create table owned (id int primary key, owner uuid);
   alter table owned enable row level security;
   grant select on songs to anon;
   grant select, insert on owned to anon;
   create table keyless (id int);
   create view titles as select id, title from songs;
   create view counted as select count(*) from songs;
   create function changes() returns void language sql as 'delete from keyless';
   create function listed() returns int language sql stable as 'select 7';
   create function unlisted() returns int language sql stable as 'select 8';
   revoke execute on function unlisted() from public;`,
);
const other = await rowsProject(service, 'create table songs (id int primary key)');
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { actors, call } = service;

const label = ({ body }: Answer<Record<string, unknown>>) => [body.error, body.code];

test('the anon key reads what anonymous callers may read, as apikey, as bearer and as both', async () => {
  const bearer = { authorization: `Bearer ${project.anonKey}` };
  const apikey = { apikey: project.anonKey };
  for (const headers of [bearer, apikey, { ...bearer, ...apikey }]) {
    const answer = await call(actors.nobody, 'GET', '/rest/v1/songs?order=id', { headers });
    expect(answer).toMatchObject({
      status: 200,
      body: [
        { id: 1, title: 'one' },
        { id: 2, title: 'two' },
      ],
    });
  }
});

test('the service key, as apikey or as bearer, sees what is exposed to nobody', async () => {
  for (const headers of [{ apikey: project.serviceKey }, { authorization: `Bearer ${project.serviceKey}` }]) {
    expect((await call(actors.nobody, 'GET', '/admin/v1/rest/hidden', { headers })).status).toBe(200);
  }
});

test('no key and a key of nobody’s making are refused with the envelope', async () => {
  const nothing = await call<Record<string, unknown>>(actors.nobody, 'GET', '/rest/v1/songs');
  expect(nothing).toMatchObject({ status: 401, body: { code: 'AUTH_REQUIRED', category: 'auth', source: 'gateway' } });
  const headers = { apikey: `${project.anonKey.slice(0, -3)}abc` };
  expect(await call(actors.nobody, 'GET', '/rest/v1/songs', { headers })).toMatchObject({
    status: 401,
    body: { code: 'INVALID_AUTH' },
  });
});

test('the service key is refused on the public path, and the anon key on the admin path', async () => {
  const open = await call<Record<string, unknown>>(project.service, 'GET', '/rest/v1/songs');
  expect([open.status, ...label(open)]).toEqual([403, 'role_forbidden', 'FORBIDDEN']);
  const beside = { authorization: `Bearer ${project.serviceKey}`, apikey: project.anonKey };
  const both = await call<Record<string, unknown>>(actors.nobody, 'GET', '/rest/v1/songs', { headers: beside });
  expect([both.status, ...label(both)]).toEqual([403, 'role_forbidden', 'FORBIDDEN']);
  const admin = await call<Record<string, unknown>>(project.anon, 'GET', '/admin/v1/rest/songs');
  expect([admin.status, ...label(admin)]).toEqual([403, 'role_forbidden', 'FORBIDDEN']);
});

test('a bearer of another project than the key is refused', async () => {
  const headers = { apikey: project.anonKey, authorization: `Bearer ${other.anonKey}` };
  const answer = await call<Record<string, unknown>>(actors.nobody, 'GET', '/rest/v1/songs', { headers });
  expect([answer.status, ...label(answer)]).toEqual([403, 'project_token_mismatch', 'FORBIDDEN']);
});

test('a table that is not exposed is told apart from one that is not there', async () => {
  expect(await project.open('GET', 'hidden')).toMatchObject({
    status: 403,
    body: {
      code: 'TABLE_NOT_EXPOSED',
      category: 'auth',
      details: { table: 'hidden', project_id: project.projectId, role: 'anon', exists: true, exposed: false },
      next_actions: [
        { type: 'expose_table' },
        {
          type: 'edit_request',
          method: 'POST',
          path: `/projects/v1/admin/${project.projectId}/expose`,
          auth: 'service_key',
        },
        { type: 'use_function' },
      ],
    },
  });
  expect(await project.open('GET', 'hiden')).toMatchObject({
    status: 404,
    body: { code: 'PGRST205', message: "Could not find the table 'public.hiden' in the schema cache", details: null },
  });
});

test('what is not exposed is dark through every method', async () => {
  for (const [method, path, body] of [
    ['HEAD', 'hidden', undefined],
    ['POST', 'hidden', { id: 9 }],
    ['PATCH', 'hidden?id=eq.1', { id: 9 }],
    ['PUT', 'hidden?id=eq.9', { id: 9 }],
    ['DELETE', 'hidden?id=eq.1', undefined],
  ] as const) {
    const options = body === undefined ? {} : { body };
    expect([method, (await project.open(method, path, options)).status]).toEqual([method, 403]);
  }
});

test('only the service key is told names like the one that was not found', async () => {
  expect((await project.admin<{ hint: string }>('GET', 'song')).body.hint).toContain("'public.songs'");
  expect((await project.open<{ hint: null }>('GET', 'song')).body.hint).toBeNull();
});

test('a row that a policy refuses is 401 for anonymous callers, in the words of the database', async () => {
  const answer = await project.open('POST', 'owned', { body: { id: 1 } });
  expect(answer).toMatchObject({ status: 401, body: { code: '42501', hint: null } });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('a table without a policy for the caller reads as empty', async () => {
  expect(await project.open('GET', 'owned')).toMatchObject({ status: 200, body: [] });
});

test('a function that is not listed is 403, one that is not there is 404', async () => {
  expect(await project.open('GET', 'rpc/listed')).toMatchObject({ status: 200, body: 7 });
  const denied = await project.open<Record<string, unknown>>('POST', 'rpc/unlisted', { body: {} });
  expect([denied.status, ...label(denied)]).toEqual([403, 'forbidden_function', 'FORBIDDEN']);
  expect(await project.open('POST', 'rpc/nothing', { body: {} })).toMatchObject({
    status: 404,
    body: { code: 'PGRST202' },
  });
});

test('answers are for the caller alone, and readable from any origin', async () => {
  const { headers } = await project.open('GET', 'songs');
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('access-control-expose-headers')).toContain('content-range');
});

test('methods that rows do not know are 405 with those they do', async () => {
  const answer = await call(project.service, 'PROPFIND', '/admin/v1/rest/rpc/listed');
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS');
});

test.each([
  ['songs', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
  ['keyless', 'OPTIONS,GET,HEAD,POST,PATCH,DELETE'],
  ['titles', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
  ['counted', 'OPTIONS,GET,HEAD'],
  ['rpc/listed', 'OPTIONS,GET,HEAD,POST'],
  ['rpc/changes', 'OPTIONS,POST'],
])('OPTIONS says what can be done with %s', async (name, allow) => {
  const answer = await project.admin('OPTIONS', name);
  expect([answer.status, answer.headers.get('allow'), answer.text]).toEqual([200, allow, '']);
});

test('OPTIONS is as blind to what is dark as every other method, and is a preflight where a browser asks', async () => {
  expect((await project.open('OPTIONS', 'songs')).headers.get('allow')).toContain('GET');
  expect(label(await project.open('OPTIONS', 'hidden'))).toEqual(['TABLE_NOT_EXPOSED', 'TABLE_NOT_EXPOSED']);
  expect(await project.open('OPTIONS', 'nothing')).toMatchObject({ status: 404, body: { code: 'PGRST205' } });
  expect((await project.open('OPTIONS', 'rpc/unlisted')).status).toBe(403);
  expect(await project.open('OPTIONS', 'rpc/nothing')).toMatchObject({ status: 404, body: { code: 'PGRST202' } });
  expect((await call(actors.nobody, 'OPTIONS', '/rest/v1/songs')).status).toBe(401);
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' };
  expect((await call(actors.nobody, 'OPTIONS', '/rest/v1/hidden', { headers })).status).toBe(204);
});

test('a schema asked for by header is not looked at', async () => {
  const headers = { 'accept-profile': 'auth', 'content-profile': '_svc' };
  expect((await call(project.anon, 'GET', '/rest/v1/songs', { headers })).status).toBe(200);
  expect((await project.admin('GET', 'schema_version')).status).toBe(404);
});

test('a dormant organization’s rows are read and not changed', async () => {
  const asleep = await rowsProject(service, 'create table notes (id int primary key)');
  await service.control.sql("update orgs set lifecycle_state = 'dormant', lifecycle_entered_at = now() where id = $1", [
    asleep.orgId,
  ]);
  expect((await asleep.admin('GET', 'notes')).status).toBe(200);
  expect(await asleep.admin('POST', 'notes', { body: { id: 1 } })).toMatchObject({
    status: 403,
    body: { code: 'PROJECT_DORMANT', lifecycle_state: 'dormant' },
  });
  await asleep.end();
});

test('a body above ten mebibytes is refused by name and size', async () => {
  const body = `[{"id":1,"title":"${'x'.repeat(10 * 1024 * 1024)}"}]`;
  expect(await project.admin('POST', 'songs', { body })).toMatchObject({
    status: 413,
    body: { code: 'BODY_TOO_LARGE', details: { limit_bytes: 10 * 1024 * 1024 } },
  });
});

test('a project answers a hundred requests a second on its public paths, and says when to come back', async () => {
  chargeProject(service, other.projectId, minuteOfRequests);
  const limited = await other.open('GET', 'nothing');
  expect(limited).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retry_after: expect.any(Number) } });
  expect(limited.headers.get('retry-after')).toMatch(/^[1-9]/);
  expect((await other.admin('GET', 'songs')).status).toBe(200);
  chargeProject(service, other.projectId, -minuteOfRequests);
  expect((await other.open('GET', 'nothing')).status).toBe(404);
});

test('a project whose database cannot be reached is 503, and its database is not named', async () => {
  const lost = await rowsProject(service, 'create table notes (id int primary key)');
  await lost.sql(`revoke connect on database ${lost.databaseName} from ${lost.roleName}`);
  await service.app.services.projectPools.forget({ databaseName: lost.databaseName });
  const refused = await lost.admin('GET', 'notes');
  expect(refused).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
  expect(refused.text).not.toMatch(new RegExp(`${lost.databaseName}|${lost.roleName}`));
  await lost.end();
});
