import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { authRoutes } from '../../rest-compat/auth/routes.ts';
import { confirmPages } from '../../rest-compat/confirm-pages.ts';
import { routes } from '../../rest-compat/routes.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { type Answer, startService } from '../helpers/service.ts';

// Audits find no site at all here.
const service = await startService({ auditTrial: { hosts: new Map(), ca: '' } });
afterAll(() => service.stop());
const { nobody } = service.actors;

const concrete = (path: string) => path.replace(/:\w+/g, 'x');
/** Whether a path fits a pattern: one that is spelt out may fit one with a parameter, too. */
const fits = (path: string, pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
const paths = [...new Set(routes.map(({ path }) => path))];
const elsewhere = paths.map(concrete).filter((path) => !path.startsWith('/api/'));

test('an unknown path is 404 under every method', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const path of ['/', '/nowhere', '/orgs', '/orgs/v2', '/ORGS/v1', '/graphql/more']) {
      expectRefusal(await service.call(nobody, method, path), 'ROUTE_NOT_FOUND', { path });
    }
  }
  expect((await service.call(nobody, 'HEAD', '/nowhere')).status).toBe(404);
});

/** Whether a path is that of a name with slashes in it: whatever follows is a part of the name. */
const isRest = (path: string, { path: own, rest }: { readonly path: string; readonly rest?: string }) =>
  rest !== undefined && own.endsWith(`:${rest}`) && path.startsWith(own.slice(0, -rest.length - 1));

/** Whether a method is that of a path that goes on behind such a name: which one is meant shows at its end alone. */
const isTailed = (path: string, method: string) =>
  routes.some(
    (one) => one.rest !== undefined && one.method === method && one.path.startsWith(`${path}/`) && one.path !== path,
  );

test.each(paths)('%s answers unknown methods with 405 and those it has', async (path) => {
  const has = [...routes, ...authRoutes, ...confirmPages]
    .filter((route) => fits(concrete(path), route.path) || isRest(concrete(path), route))
    .map(({ method }) => method as string);
  const allow = new Set([...has, ...(has.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    const answer = await service.call(nobody, method, concrete(path));
    if (allow.has(method)) {
      expect([method, answer.status]).not.toEqual([method, 405]);
      continue;
    }
    expect([method, answer.status]).toEqual([method, 405]);
    const listed = answer.headers
      .get('allow')!
      .split(', ')
      .filter((one) => allow.has(one) || !isTailed(path, one));
    expect(new Set(listed)).toEqual(allow);
    if (method === 'HEAD') continue;
    if (path.startsWith('/api/')) expect(answer.body).toMatchObject({ status: 405, code: 'method_not_allowed' });
    else expectRefusal(answer, 'METHOD_NOT_ALLOWED', { method });
  }
});

test.each(['/graphql', '/metrics', '/readyz', '/api/health'])('%s says which methods it has', async (path) => {
  const answer = await service.call(nobody, 'DELETE', path);
  const allow = path === '/graphql' ? 'GET, POST, HEAD, OPTIONS' : 'GET, HEAD, OPTIONS';
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
});

test('a preflight is 204 for any path, with every header that a browser client sends', async () => {
  const asked = [
    'apikey',
    'authorization',
    'sign-in-with-x',
    'x-svc-write-auth',
    'x-admin-key',
    'idempotency-key',
    'prefer',
    'svc-client',
    'last-event-id',
    'payment-signature',
    'x-payment',
    // What the client that pays for seats and leases really sends, too.
    'access-control-expose-headers',
    'content-type',
  ];
  // What is under `/api` has a list of its own.
  for (const path of [...elsewhere, '/graphql', '/nowhere', '/%zz']) {
    const answer = await service.call(nobody, 'OPTIONS', path, {
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = answer.headers.get('access-control-allow-headers')!.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(asked));
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer.headers.get('access-control-allow-methods')).toContain(method);
    }
  }
});

// Clients add headers of theirs, as `postgrest-js` does when it tries again, and policies may read an app's own.
test('a page may send headers that the gateway has never heard of', async () => {
  for (const path of ['/rest/v1/notes', '/auth/v1/token', '/graphql']) {
    const answer = await service.call(nobody, 'OPTIONS', path, {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'apikey,authorization,x-retry-count,x-tenant',
      },
    });
    const allowed = answer.headers.get('access-control-allow-headers')!.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['apikey', 'authorization', 'x-retry-count', '*']));
    // With credentials, `*` would be a header's name; and nobody's cookies are to be sent.
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  }
});

test('any origin may read answers and refusals with their headers', async () => {
  for (const path of ['/readyz', '/nowhere', '/orgs/v1', '/graphql?query={__typename}', '/metrics']) {
    const { headers } = await service.call(nobody, 'GET', path, { headers: { origin: 'https://app.example' } });
    expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
    const exposed = headers.get('access-control-expose-headers')!.split(', ');
    expect(exposed).toEqual([...new Set(exposed)]);
    for (const name of ['x-svc-trace-id', 'retry-after', 'allow', 'payment-required', 'payment-response']) {
      expect(exposed).toContain(name);
    }
  }
});

test('HEAD is GET without the body', async () => {
  const { wallet, orgId, projectId } = await service.project();
  for (const path of [
    '/agent/v1/whoami',
    `/orgs/v1/${orgId}`,
    `/orgs/v1/${orgId}/rooms/${projectId}/messages`,
    `/projects/v1/${projectId}`,
    '/projects/v1?limit=0',
    '/orgs/v1/not-a-uuid',
    '/nowhere',
    '/readyz',
  ]) {
    const get = await service.call(wallet, 'GET', path);
    const head = await service.call(wallet, 'HEAD', path);
    expect([path, head.status, head.text]).toEqual([path, get.status, '']);
    for (const name of ['content-type', 'content-length', 'cache-control', 'access-control-allow-origin']) {
      expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    }
  }
});

test('every answer has a trace id of its own, and the log knows it', async () => {
  const ids = new Set<string>();
  for (const path of ['/api/health', '/nowhere', '/orgs/v1', '/readyz']) {
    ids.add((await service.call(nobody, 'GET', path)).headers.get('x-svc-trace-id')!);
  }
  expect(ids.size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^trc_[0-9a-f]{32}$/);
  const logged = service.logged().map(({ trace_id }) => trace_id);
  expect(logged).toEqual(expect.arrayContaining([...ids]));
});

const problem = (answer: Answer<unknown>) => {
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  return answer.body;
};

test('paths under /api refuse with problem details', async () => {
  const absent = await service.call(nobody, 'GET', '/api/nowhere');
  expect(absent.status).toBe(404);
  expect(problem(absent)).toStrictEqual({
    type: '/problems/not_found',
    title: expect.any(String),
    status: 404,
    detail: expect.any(String),
    instance: '/api/nowhere',
    ok: false,
    code: 'not_found',
    error: (absent.body as { detail?: string }).detail,
    trace_id: absent.headers.get('x-svc-trace-id'),
  });
  const method = await service.call(nobody, 'POST', '/api/health');
  expect(problem(method)).toMatchObject({ code: 'method_not_allowed', status: 405, ok: false });
  expect(method.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
});

test('health says what the contract says, whoever asks', async () => {
  const { status, body, headers } = await service.call(nobody, 'GET', '/api/health');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body).toStrictEqual({
    ok: true,
    status: 'ok',
    service: 'svc-gateway',
    version: '0.0.0-test',
    runtime: {
      node: process.version,
      platform: process.platform,
      uptime_s: expect.any(Number),
      started_at: expect.stringMatching(/Z$/),
    },
    settlement: {
      network: 'base',
      caip2: 'eip155:8453',
      chain_id: 8453,
      pay_to: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      asset: { symbol: 'USDC', address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), decimals: 6 },
      mode: 'unavailable',
    },
    checks: { database: 'ok', rpc: 'unconfigured', facilitator: 'unconfigured' },
  });
});

test('readiness is 200 while the server can serve', async () => {
  const ready = await service.call(nobody, 'GET', '/readyz');
  expect([ready.status, ready.body]).toEqual([200, { ready: true }]);
});

test('metrics count requests under the pattern of their route', async () => {
  const { wallet, orgId } = await service.owner();
  await service.call(wallet, 'GET', `/orgs/v1/${orgId}`);
  const { text, headers } = await service.call(nobody, 'GET', '/metrics');
  expect(headers.get('content-type')).toContain('text/plain');
  expect(text).toMatch(/http_requests_total\{route="\/orgs\/v1\/:org_id",method="GET",status="200"\} [1-9]/);
  expect(text).toMatch(/operations_total\{operation="orgs\.get",code="OK"\} [1-9]/);
  expect(text).not.toContain(orgId);
});

test('a broken request is refused and the next one on a new connection is served', async () => {
  const answer = await new Promise<string>((resolve) => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
    socket.write('NONSENSE\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect((await service.call(nobody, 'GET', '/readyz')).status).toBe(200);
});
