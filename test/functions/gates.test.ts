import { afterAll, expect, test } from 'vitest';
import { authProject } from '../auth/auth-project.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostCall } from '../hosted/host-call.ts';

const service = await sharedService();
const project = await authProject(
  service,
  `create table staff (user_id uuid primary key, role text not null);
   alter table staff enable row level security;`,
);
const other = await authProject(service, 'create table notes (id int primary key)');
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});
const theirs = deploying(service, project.owner, project);
const [ada, bob] = [await project.signedIn(), await project.signedIn()];
const sql = (text: string) =>
  service.call(service.actors.bearer(project.serviceKey), 'POST', `/projects/v1/admin/${project.projectId}/sql`, {
    body: { sql: text },
  });
await sql(`insert into staff values ('${ada.id}', 'editor'), ('${bob.id}', 'Editor')`);

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const show = `export default (request) => Response.json({
  user: request.headers.get('x-svc-user-id'), role: request.headers.get('x-svc-user-role') });`;
const gate = { table: 'staff', id_column: 'user_id', role_column: 'role', allowed: ['editor'], cache_ttl: 0 };
const source = refOf(show);
const deployGated = (more: object = {}) =>
  theirs.deploy(
    {
      functions: {
        replace: {
          open: { source },
          users: { source, require_auth: true },
          editors: { source, require_role: { ...gate, ...more } },
        },
      },
      routes: {
        replace: ['open', 'users', 'editors'].map((name) => ({
          pattern: `/${name}`,
          target: { type: 'function', name },
        })),
      },
    },
    [show],
  );
const { urls } = await deployGated();
const host = hostCall(service, new URL(urls.site).hostname);

/** The same call by both ways in. */
async function both(name: string, token?: string): Promise<Any[]> {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const direct = await service.call<Any>(
    withHeaders({ apikey: project.anonKey, ...bearer }),
    'GET',
    `/functions/v1/${name}`,
  );
  const routed = await host('GET', `/${name}`, { headers: bearer });
  return [direct, routed].map(({ status, body }) => [status, body.code ?? body]);
}
const twice = (one: unknown) => [one, one];

test('a gate for users lets those of the project in, by both ways, and names them to the function', async () => {
  expect(await both('users')).toEqual(twice([401, 'authentication_required']));
  expect(await both('users', ada.access_token)).toEqual(twice([200, { user: ada.id, role: null }]));
});

test('a token of another project, and one that was changed, let nobody in', async () => {
  const foreign = await other.signedIn();
  const changed = `${ada.access_token.slice(0, -4)}AAAA`;
  for (const token of [foreign.access_token, changed]) {
    expect((await host('GET', '/users', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    const headers = { apikey: project.anonKey, authorization: `Bearer ${token}` };
    expect([401, 403]).toContain((await service.call<Any>(withHeaders(headers), 'GET', '/functions/v1/users')).status);
  }
});

test('a key of the project is no user', async () => {
  for (const apikey of [project.anonKey, project.serviceKey]) {
    const { status } = await service.call<Any>(withHeaders({ apikey }), 'GET', '/functions/v1/users');
    expect(status).toBe(401);
  }
});

test('a gate for a role reads the project’s table past its row security, and compares letter by letter', async () => {
  expect(await both('editors', ada.access_token)).toEqual(twice([200, { user: ada.id, role: 'editor' }]));
  expect(await both('editors', bob.access_token)).toEqual(twice([403, 'ROLE_FORBIDDEN']));
  expect(await both('editors')).toEqual(twice([401, 'authentication_required']));
  await sql(`update staff set role = 'editor' where user_id = '${bob.id}'`);
  expect(await both('editors', bob.access_token)).toEqual(twice([200, { user: bob.id, role: 'editor' }]));
});

test('no caller names a user or a role to a function', async () => {
  const headers = { 'x-svc-user-id': ada.id, 'x-svc-user-role': 'editor' };
  expect((await host('GET', '/open', { headers })).body).toEqual({ user: null, role: null });
  expect((await host('GET', '/editors', { headers })).status).toBe(401);
});

test('a release whose gate asks a table or column that is not there does not go live', async () => {
  for (const wrong of [{ table: 'nowhere' }, { role_column: 'rank' }]) {
    const ended = await deployGated(wrong);
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'DEPLOY_INVALID_ROLE_GATE' } });
  }
  expect((await both('open'))[1][0]).toBe(200);
});

test('a browser without a session is led to where users sign in, if the gate says so, and nothing else is', async () => {
  await deployGated({ on_deny: 'redirect', sign_in_path: '/welcome' });
  const led = await host('GET', '/editors', { page: true });
  expect([led.status, led.headers.get('location')]).toEqual([303, '/welcome']);
  expect((await host('GET', '/editors')).status).toBe(401);
  const page = await host('GET', '/editors', { page: true, headers: { authorization: `Bearer ${bob.access_token}` } });
  expect(page.status).toBe(200);
});
