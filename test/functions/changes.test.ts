import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const project = await service.project();
const other = await service.project();
const theirs = deploying(service, project.wallet, project);
const byKey = service.actors.bearer(project.serviceKey);
const code = `export default () => Response.json({ release: process.env.SVC_RELEASE_ID })`;
const functions = { replace: { api: { source: refOf(code) }, worker: { source: refOf(code), schedule: '0 4 * * *' } } };
const routes = { replace: [{ pattern: '/api/*', target: { type: 'function', name: 'api' } }] };
let first: Any;
beforeAll(async () => {
  first = await theirs.deploy({ functions, routes }, [code]);
  expect(first).toMatchObject({ status: 'ready' });
});

const path = (name = '') => `/projects/v1/admin/${project.projectId}/functions${name === '' ? '' : `/${name}`}`;
const change = (name: string, body: Any, as = byKey) => service.call<Any>(as, 'PATCH', path(name), { body });
const remove = (name: string, as = byKey) => service.call<Any>(as, 'DELETE', path(name));
const list = async () => (await service.call<Any>(byKey, 'GET', path())).body.functions as Any[];
const call = (name: string) =>
  service.call<Any>(withHeaders({ apikey: project.anonKey }), 'POST', `/functions/v1/${name}`);
const live = async () => (await theirs.read('/apply/v1/releases/active')).body;

test('limits and schedule change at once, by a release that says who made it', async () => {
  const [api, worker] = await list();
  const changed = await change('worker', { schedule: null, config: { timeout: 7 } });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      name: 'worker',
      timeout: 7,
      memory: 128,
      schedule: null,
      schedule_meta: null,
      created_at: worker.created_at,
    },
  });
  expect(changed.body.updated_at > worker.updated_at).toBe(true);
  const now = await list();
  // The other one is as it was, and has been since then.
  expect(now[0]).toEqual({ ...api, release_id: changed.body.release_id });
  expect(now[1]).toEqual(changed.body);
  const release = await live();
  expect(release).toMatchObject({ release_id: changed.body.release_id, parent_id: first.release_id });
  expect((await call('worker')).body).toEqual({ release: release.release_id });
});

test('an earlier release brings back what it had', async () => {
  const back = `/apply/v1/releases/${first.release_id}/promote`;
  const promoted = await theirs.call('POST', back, { project: project.projectId });
  expect(promoted.status).toBe(200);
  expect((await list())[1]).toMatchObject({ timeout: 10, schedule: '0 4 * * *' });
});

test('what changes nothing makes no release', async () => {
  const before = (await live()).release_id;
  expect((await change('worker', { config: { timeout: 10 } })).status).toBe(200);
  expect((await live()).release_id).toBe(before);
});

test.each([
  ['nothing', {}, 400, 'VALIDATION_FAILED'],
  ['no number', { config: { timeout: null } }, 400, 'VALIDATION_FAILED'],
  ['more time than the tier allows', { config: { timeout: 11 } }, 422, 'FUNCTION_TIMEOUT_EXCEEDS_TIER'],
  ['more memory than the tier allows', { config: { memory: 129 } }, 422, 'FUNCTION_MEMORY_EXCEEDS_TIER'],
  ['a schedule that is none', { schedule: 'now and then' }, 400, 'INVALID_SPEC'],
  ['a schedule that comes due too often', { schedule: '* * * * *' }, 422, 'FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT'],
])('%s is refused, and changes nothing', async (_what, body, status, expected) => {
  const before = await live();
  const refused = await change('worker', body);
  expect([refused.status, refused.body.code]).toEqual([status, expected]);
  expect(await live()).toEqual(before);
});

test('a function that is not there, and one of another project, are not found', async () => {
  expect((await change('nobody', { schedule: null })).body.code).toBe('FUNCTION_NOT_FOUND');
  expect((await remove('nobody')).body.code).toBe('FUNCTION_NOT_FOUND');
  const foreign = service.actors.bearer(other.serviceKey);
  expect((await change('worker', { schedule: null }, foreign)).status).toBe(403);
  expect((await remove('worker', foreign)).status).toBe(403);
});

test('a function that routes lead to stays until they lead elsewhere', async () => {
  const refused = await remove('api');
  expect(refused).toMatchObject({ status: 409, body: { code: 'FUNCTION_HAS_ROUTES', details: { function: 'api' } } });
  expect((await call('api')).status).toBe(200);
});

test('a deleted function answers nobody, has no schedule, and stays gone with the next deploy', async () => {
  const deleted = await remove('worker');
  expect(deleted).toMatchObject({ status: 200, body: { status: 'deleted', name: 'worker' } });
  await until(async () => expect((await call('worker')).body.code).toBe('FUNCTION_NOT_FOUND'));
  expect(await service.control.sql('select 1 from function_schedules')).toEqual([]);
  expect(await theirs.deploy({ i18n: null, routes: { replace: [] } })).toMatchObject({ status: 'ready' });
  expect((await list()).map(({ name }) => name)).toEqual(['api']);
  expect((await remove('api')).status).toBe(200);
  expect(await list()).toEqual([]);
});

test('functions are built anew by those who own them, with the versions they have', async () => {
  const rebuild = (name?: string, as: Actor = project.wallet) =>
    service.call<Any>(as, 'POST', `/projects/v1/${project.projectId}/functions${name ? `/${name}` : ''}/rebuild`);
  expect(await theirs.deploy({ functions }, [code])).toMatchObject({ status: 'ready' });
  const before = await live();
  const one = await rebuild('api');
  expect(one).toMatchObject({ status: 200, body: { name: 'api', rebuilt: true, runtime_version_before: '3.7.0' } });
  expect(one.body.new_fingerprint).toBe(one.body.old_fingerprint);
  expect((await rebuild()).body).toMatchObject({ rebuilt_count: 2, total: 2, results: [one.body, { name: 'worker' }] });
  expect(await live()).toEqual(before);
  expect((await rebuild('nobody')).body.code).toBe('FUNCTION_NOT_FOUND');
  expect((await rebuild('api', byKey)).status).toBe(403);
  expect((await rebuild('api', other.wallet)).status).toBe(403);
});

test('whoever may have functions run calls one without a key of the project, and is told all of its answer', async () => {
  const echo = `export default async (request) => new Response(
    request.url.includes('binary') ? new Uint8Array([255, 0]) : JSON.stringify({
      method: request.method, query: new URL(request.url).search, type: request.headers.get('content-type'),
      own: request.headers.get('x-own'), spoofed: request.headers.get('x-svc-user-id'), body: await request.text() }),
    { status: 418, headers: [['set-cookie', 'a=1'], ['x-svc-user-id', 'nobody']] })`;
  const gated = { source: refOf(echo), require_auth: true };
  const spec = { functions: { replace: { echo: { source: refOf(echo) }, gated } } };
  expect(await theirs.deploy(spec, [echo])).toMatchObject({ status: 'ready' });
  const invoke = (name: string, body: Any = {}, as: Actor = project.wallet) =>
    service.call<Any>(as, 'POST', `${path(name)}/invoke`, { body });
  const answer = await invoke('echo', {
    query: 'a=1&b=%20',
    headers: { 'X-Own': 'x', 'x-svc-user-id': 'me' },
    body: '{"a":1}',
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 418, body_base64: null, headers: { 'set-cookie': 'a=1' } },
  });
  expect(JSON.parse(answer.body.body)).toEqual({
    method: 'POST',
    query: '?a=1&b=%20',
    type: 'application/json',
    own: 'x',
    spoofed: null,
    body: '{"a":1}',
  });
  expect((await invoke('echo', { method: 'GET', query: 'binary' })).body).toMatchObject({
    body: null,
    body_base64: '/wA=',
  });
  expect((await invoke('nobody')).body.code).toBe('FUNCTION_NOT_FOUND');
  expect((await invoke('gated')).body.code).toBe('authentication_required');
  expect((await invoke('gated', { access_token: 'none' })).body.code).toBe('INVALID_AUTH');
  expect((await invoke('echo', { headers: { 'x y': '1' } })).body.code).toBe('VALIDATION_FAILED');
  expect((await invoke('echo', {}, other.wallet)).status).toBe(403);
});
