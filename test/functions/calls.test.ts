import { afterAll, describe, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';

const service = await startService();
afterAll(() => service.stop());
const project = await service.project();
const theirs = deploying(service, project.wallet, project);
const byKey = withHeaders({ apikey: project.anonKey });

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const api = `
import { randomUUID } from 'node:crypto';
let calls = 0;
export default async (request) => {
  const url = new URL(request.url);
  calls += 1;
  switch (url.searchParams.get('do')) {
    case 'throw': throw new TypeError('it broke at ' + randomUUID());
    case 'refuse': return new Response('not today', { status: 503 });
    case 'exit': process.exit(3);
    case 'loop': for (;;) calls += 1;
    case 'large': return new Response(new Uint8Array(7 * 1024 * 1024));
    case 'cookies': return new Response(null, { headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']], status: 204 });
    default: {
      console.log('called with', request.method);
      const body = await request.text();
      return Response.json({
        method: request.method, url: request.url, body, headers: Object.fromEntries(request.headers),
        secret: process.env.GREETING ?? null, project: process.env.SVC_PROJECT_ID, request_id: process.env.SVC_REQUEST_ID,
        keys: [process.env.SVC_ANON_KEY, process.env.SVC_SERVICE_KEY], gateway: Object.keys(process.env).filter((name) => /ROOT|DATABASE/.test(name)),
      });
    }
  }
};`;

const functionsOf = (sources: Readonly<Record<string, string>>, config: object = {}) => ({
  functions: {
    replace: Object.fromEntries(
      Object.entries(sources).map(([name, text]) => [name, { source: refOf(text), ...config }]),
    ),
  },
});

const deployed = await theirs.deploy(
  {
    ...functionsOf({ api }, { config: { timeout_seconds: 2 } }),
    routes: { replace: [{ pattern: '/api/*', target: { type: 'function', name: 'api' } }] },
  },
  [api],
);
const invoke = (query = '', more: Any = {}, as = byKey) =>
  service.call<Any>(as, more.method ?? 'POST', `/functions/v1/api${query}`, more);

test('a function that was deployed answers under its name, with the environment of its project alone', async () => {
  expect(deployed).toMatchObject({ status: 'ready' });
  await service.call(
    service.actors.bearer(project.serviceKey),
    'POST',
    `/projects/v1/admin/${project.projectId}/secrets`,
    {
      body: { key: 'GREETING', value: 'hello' },
    },
  );
  const { status, body, headers } = await invoke('?q=1', { body: { a: 1 } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    method: 'POST',
    body: '{"a":1}',
    secret: 'hello',
    project: project.projectId,
    keys: [project.anonKey, project.serviceKey],
    gateway: [],
  });
  expect(new URL(body.url).pathname + new URL(body.url).search).toBe('/functions/v1/api?q=1');
  expect(body.headers).toMatchObject({
    'x-svc-project-id': project.projectId,
    'x-svc-release-id': deployed.release_id,
    'x-svc-function-name': 'api',
    'x-svc-request-id': body.request_id,
  });
  expect(headers.get('x-svc-request-id')).toBe(body.request_id);
  expect(headers.get('cache-control')).toBe('private, no-store');
});

test('a route of its host leads to it, with the public address', async () => {
  const host = new URL(deployed.urls.site).hostname;
  const call = hostCall(service, host);
  const { status, body } = await call('GET', '/api/things?x=%20y', { headers: { 'x-svc-user-id': 'usr_forged' } });
  expect(status).toBe(200);
  expect(body.url).toBe(`http://${host}/api/things?x=%20y`);
  expect(body.headers).toMatchObject({ 'x-svc-route-pattern': '/api/*' });
  expect(body.headers).not.toHaveProperty('x-svc-user-id');
});

test('a caller without a key of the project, and one with that of another, are refused before anything runs', async () => {
  const other = await service.project();
  expect((await invoke('', {}, withHeaders({}))).status).toBe(401);
  const { status, body } = await invoke('', {}, withHeaders({ apikey: other.anonKey }));
  expect([status, body.code]).toEqual([404, 'FUNCTION_NOT_FOUND']);
  expect((await service.call<Any>(byKey, 'POST', '/functions/v1/none')).body.code).toBe('FUNCTION_NOT_FOUND');
});

describe('what a function does wrong', () => {
  test.each([
    ['throw', 500, 'FUNCTION_FAILED'],
    ['exit', 502, 'FUNCTION_CRASHED'],
    ['loop', 504, 'FUNCTION_TIMEOUT'],
    ['large', 502, 'ROUTED_RESPONSE_TOO_LARGE'],
  ])('%s is answered with %i %s, without its text, and the next call is served', async (what, status, code) => {
    const answer = await invoke(`?do=${what}`);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain('it broke');
    expect(answer.body.details.request_id).toMatch(/^req_/);
    expect((await invoke()).status).toBe(200);
  });

  test('is grouped with the failures of the project, with its release', async () => {
    await service.nodes[0]!.services.functions.flush();
    const { body } = await service.call<Any>(project.wallet, 'GET', `/projects/v1/${project.projectId}/errors`);
    const found = body.errors.find((one: Any) => one.error_name === 'TypeError');
    expect(found).toMatchObject({ function: 'api', kind: 'uncaught', first_seen_release_id: deployed.release_id });
  });
});

test('an answer of its own that says that it failed goes out as it is', async () => {
  const answer = await invoke('?do=refuse');
  expect([answer.status, answer.text]).toEqual([503, 'not today']);
});

test('each of its cookies goes out', async () => {
  const { status, headers } = await invoke('?do=cookies');
  expect(status).toBe(204);
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

test('code that cannot be built fails the deploy, names the place, and leaves the live release alone', async () => {
  const broken = 'export default () => {\n  return (;\n};';
  const ended = await theirs.deploy(functionsOf({ api: broken }), [broken]);
  expect(ended).toMatchObject({
    status: 'failed',
    error: { code: 'FUNCTION_BUILD_FAILED', phase: 'stage', logs: ['index.mjs:2:10: Unexpected ";"'] },
  });
  expect((await invoke()).status).toBe(200);
});

test('a route with a price is refused at its commit, instead of being served without', async () => {
  const pricing = { mode: 'always', amount_usd_micros: 1_000, pay_to: 'org_default_payout', networks: ['testnet'] };
  const route = { pattern: '/paid', target: { type: 'function', name: 'api' }, methods: ['POST'], pricing };
  const { body } = await theirs.plan({ ...functionsOf({ api }), routes: { replace: [route] } });
  expect(body.code).toBeUndefined();
  expect(await theirs.commit(body.plan_id)).toMatchObject({
    status: 422,
    body: { code: 'FUNCTIONS_NOT_AVAILABLE', details: { member: 'pricing' } },
  });
});
