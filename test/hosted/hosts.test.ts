import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { forgetHostNames } from '../../resolvers/hosts/shared/find-host.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { chargeProject } from '../helpers/project-rate.ts';
import { parseAnswer, rawAnswer, rawConnection } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';
import { liveProject, notes } from '../live/live-project.ts';
import { hostCall } from './host-call.ts';

const platform = 'apps.example.com';
const env = { PLATFORM_DOMAIN: platform, ALLOWED_HOSTS: 'gateway' };
const service = await startService({ env });
const named = await startService({ env: { ...env, PUBLIC_BASE_URL: 'https://api.example.com' } });
const proxied = await startService({ env: { ...env, TRUSTED_PROXIES: '127.0.0.1,::1' } });
const local = await startService();
afterAll(async () => {
  await service.stop();
  await named.stop();
  await proxied.stop();
  await local.stop();
});

async function projectOf(on: typeof service) {
  const project = await on.project();
  const [row] = await on.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  return { ...project, publicId: row!.public_id };
}

const project = await projectOf(service);
const host = `p-${project.publicId}.${platform}`;
const config = (on: typeof service, name: string, headers = {}) =>
  hostCall(on, name)('GET', '/_svc/config.json', { headers });

test.each([
  ['its name', (name: string) => name],
  ['any port', (name: string) => `${name}:8443`],
  ['capital letters', (name: string) => name.toUpperCase()],
  ['the final dot of a full name', (name: string) => `${name}.`],
])('a project is served under its own host, by %s', async (_case, spell) => {
  const { status, body, headers } = await config(service, spell(host));
  expect([status, body]).toEqual([
    200,
    {
      project_id: project.projectId,
      api_base: `https://${platform}${spell('').replace('.', '')}`,
      anon_key: project.anonKey,
      live: null,
      embedding: null,
    },
  ]);
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

test('the script assigns the same to window.SVC, may be kept for a minute by host, and holds no secret', async () => {
  const answer = await hostCall(service, host)('GET', '/_svc/config.js');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
  expect(answer.headers.get('vary')).toBe('Host');
  const window: { SVC?: unknown } = {};
  runInNewContext(answer.text, { window });
  expect(window.SVC).toEqual({
    project_id: project.projectId,
    api_base: `https://${platform}`,
    anon_key: project.anonKey,
  });
  expect(answer.text).not.toContain(project.serviceKey);
  const head = await hostCall(service, host)('HEAD', '/_svc/config.js');
  expect([head.status, head.text]).toEqual([200, '']);
  expectRefusal(await hostCall(service, host)('POST', '/_svc/config.js'), 'METHOD_NOT_ALLOWED');
});

test('every path of a host counts as the project’s, and a proxy that is believed keeps answers apart by what it says', async () => {
  const own = await projectOf(service);
  const name = `p-${own.publicId}.${platform}`;
  expect((await config(service, name)).status).toBe(200);
  chargeProject(service, own.projectId, 1_000_000);
  for (const path of ['/_svc/config.json', '/_svc/config.js', '/_svc/live/changes', '/auth/sign-in', '/nowhere'])
    expectRefusal(await hostCall(service, name)('GET', path), 'RATE_LIMITED');
  const behind = await projectOf(proxied);
  const { headers } = await config(proxied, `p-${behind.publicId}.${platform}`);
  expect(headers.get('vary')).toBe('Host, X-Forwarded-Host, X-Forwarded-Proto');
});

test.each([
  `p-000000000000.${platform}`,
  `p-.${platform}`,
  `p-${project.publicId}x.${platform}`,
  `x.p-${project.publicId}.${platform}`,
  `p_${project.publicId}.${platform}`,
  `nobody.${platform}`,
  `${'a'.repeat(60)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${platform}`,
])('the host %s is nobody’s', async (name) => {
  for (const path of ['/_svc/config.js', '/auth/sign-in', '/orgs/v1', '/graphql', '/readyz'])
    expectRefusal(await hostCall(service, name)('GET', path), 'HOST_NOT_FOUND', { host: name });
});

test('a project’s host has none of the paths of the API', async () => {
  for (const path of ['/', '/orgs/v1', '/graphql', '/metrics', '/readyz', '/rest/v1/notes', '/auth/v1/user', '/_svc/x'])
    expectRefusal(
      await hostCall(service, host)('GET', path, { headers: { apikey: project.anonKey } }),
      'ROUTE_NOT_FOUND',
    );
});

test.each([platform, 'localhost:4000', '127.0.0.1', '[::1]:4000', '10.1.2.3', 'gateway'])(
  'the host %s is the API',
  async (name) => {
    const answer = await hostCall(service, name)('GET', '/readyz');
    expect([answer.status, answer.body]).toEqual([200, { ready: true }]);
    expectRefusal(await hostCall(service, name)('GET', '/_svc/config.js'), 'ROUTE_NOT_FOUND');
  },
);

test('names that a project claimed are its hosts from then on, and another’s when they move', async () => {
  const other = await projectOf(service);
  const claim = (name: string, { orgId, projectId }: typeof other) =>
    service.control.sql(
      `insert into host_names (name, org_id, project_id) values ($1, $2, $3)
       on conflict (name) do update set org_id = excluded.org_id, project_id = excluded.project_id`,
      [name, orgId, projectId],
    );
  for (const name of [`shop.${platform}`, 'www.shop.example']) {
    expect((await config(service, name)).status).toBe(name.endsWith(platform) ? 404 : 421);
    for (const one of [project, other]) {
      await claim(name, one);
      forgetHostNames(service.app.services);
      const { status, body } = await config(service, `${name}:443`);
      expect([status, body.project_id, body.anon_key]).toEqual([200, one.projectId, one.anonKey]);
    }
    expectRefusal(await hostCall(service, name)('GET', '/orgs/v1'), 'ROUTE_NOT_FOUND');
  }
  // Without being told, a node finds out by itself.
  await service.control.sql('delete from host_names');
  await expect.poll(async () => (await config(service, `shop.${platform}`)).status).toBe(404);
});

test('the host of a project that was deleted is nobody’s, and of one that is put away says so', async () => {
  const gone = await projectOf(service);
  const name = `p-${gone.publicId}.${platform}`;
  const { admin } = service.actors;
  expect((await config(service, name)).status).toBe(200);
  await service.call(admin, 'POST', `/projects/v1/admin/${gone.projectId}/archive`);
  expect(await config(service, name)).toMatchObject({ status: 403, body: { error: 'project_archived' } });
  await service.call(admin, 'POST', `/projects/v1/admin/${gone.projectId}/reactivate`);
  expect((await config(service, name)).status).toBe(200);
  await service.call(gone.wallet, 'DELETE', `/projects/v1/${gone.projectId}`);
  expectRefusal(await config(service, name), 'HOST_NOT_FOUND');
});

test('what a request says of the host that it was forwarded for counts from a trusted proxy alone', async () => {
  const behind = await projectOf(proxied);
  const own = `p-${behind.publicId}.${platform}`;
  const forwarded = (value: string) => ({ 'x-forwarded-host': value, 'x-forwarded-proto': 'https' });
  expect((await config(proxied, 'gateway:4000', forwarded(own))).body).toMatchObject({ project_id: behind.projectId });
  // What the client wrote itself stands before the proxy's own word.
  expect((await config(proxied, 'gateway', forwarded(`evil.example, ${own}`))).status).toBe(200);
  expect((await config(proxied, 'gateway', forwarded(`${own}, p-000000000000.${platform}`))).status).toBe(404);
  expectRefusal(await config(service, 'gateway', forwarded(host)), 'ROUTE_NOT_FOUND');
  expectRefusal(await config(proxied, 'gateway', forwarded('not a host')), 'VALIDATION_FAILED', { field: 'host' });
});

test('on a developer’s machine hosts are below localhost, and the API is where they are', async () => {
  const mine = await projectOf(local);
  const { status, body } = await config(local, `p-${mine.publicId}.localhost:4321`);
  expect([status, body.project_id, body.api_base]).toEqual([200, mine.projectId, 'http://localhost:4321']);
  expectRefusal(await config(local, 'p-000000000000.localhost'), 'HOST_NOT_FOUND');
  expect((await hostCall(local, 'api.localhost')('GET', '/readyz')).status).toBe(200);
});

test('the tables that can be followed are named, and nothing else of the manifest', async () => {
  const on = await liveProject(service);
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    on.projectId,
  ]);
  const named = async () => (await config(service, `p-${row!.public_id}.${platform}`)).body.live;
  const tables = ['gone', 'kept', 'renamed'].map((name) => ({ ...notes, name }));
  await on.run(tables.map(({ name }) => `create table ${name} (id int primary key)`).join('; '));
  await on.expose(...tables, { ...notes, live: false });
  await until(async () => expect(await named()).toEqual({ path: '/_svc/live', tables: ['gone', 'kept', 'renamed'] }));
  // The manifest says the same as before.
  await on.run('drop table gone; alter table renamed rename to other');
  await until(async () => expect(await named()).toEqual({ path: '/_svc/live', tables: ['kept'] }));
  await on.run('drop table kept');
  await until(async () => expect(await named()).toBeNull());
  await on.end();
});

test('a public base URL is where the API is, whatever host is asked, and its own host is the API’s', async () => {
  const wallet = createWallet();
  const baseUrl = 'https://api.example.com';
  const actor = { headers: async (path: string) => ({ 'sign-in-with-x': await wallet.header({ baseUrl, path }) }) };
  await named.call(actor, 'POST', '/orgs/v1', { body: {} });
  const { body: made } = await named.call<{ project_id: string }>(actor, 'POST', '/projects/v1', { body: {} });
  const [row] = await named.control.sql<{ public_id: string }>('select public_id from projects');
  const { body } = await config(named, `p-${row!.public_id}.${platform}:8443`);
  expect(body).toMatchObject({ project_id: made.project_id, api_base: baseUrl });
  expect((await hostCall(named, 'api.example.com')('GET', '/readyz')).status).toBe(200);
});

test('a request in absolute form names its host there', async () => {
  const { status, body } = await rawAnswer(service.url, [
    `GET http://${host}/_svc/config.json HTTP/1.1`,
    'host: localhost',
    'connection: close',
  ]);
  expect([status, body.project_id]).toEqual([200, project.projectId]);
});

test.each([
  ['its own', host],
  ['a claimed one below the platform’s domain', `till.${platform}`],
  ['a claimed one elsewhere', 'www.till.example'],
])('sockets are not opened on a project’s host: %s', async (_kind, name) => {
  await service.control.sql('insert into host_names (name, org_id, project_id) values ($1, $2, $3)', [
    name,
    project.orgId,
    project.projectId,
  ]);
  forgetHostNames(service.app.services);
  for (const path of ['/graphql', `/projects/v1/${project.projectId}/graphql`])
    expectRefusal(await opened(name, path), 'ROUTE_NOT_FOUND', { path });
});

test('a name of the API has its sockets, and one that is nobody’s has none', async () => {
  expect((await opened('gateway', '/graphql')).status).toBe(101);
  expectRefusal(await opened('gateway.example.org', '/graphql'), 'HOST_NOT_ALLOWED', { host: 'gateway.example.org' });
});

/** What is answered to somebody who would open a socket. */
async function opened(name: string, path: string) {
  const connection = rawConnection(service.url);
  const lines = [
    `GET ${path} HTTP/1.1`,
    `host: ${name}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol: graphql-transport-ws',
  ];
  connection.send(`${lines.join('\r\n')}\r\n\r\n`);
  const { status, headers, body } = parseAnswer(await connection.heard(/^HTTP\/1\.1 101 .*\r\n\r\n/s));
  connection.socket.destroy();
  return { status, headers: new Headers(headers), body, text: '' };
}
