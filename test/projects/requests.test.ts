import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';
import { dataProject } from '../project-data/data-project.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

interface Request {
  readonly at: string;
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly code: string | null;
  readonly caller: string | null;
  readonly bytes: number | null;
}
interface Page {
  readonly requests: readonly Request[];
  readonly left_out: number;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const list = async (actor: Actor, projectId: string, query = '') =>
  (await call(actor, 'GET', `/projects/v1/${projectId}/requests${query}`)).body as Page;

const sweep = () => {
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  return keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
};

test('a refusal is found by the id that its envelope carries', async () => {
  const project = await service.project();
  const anon = actors.apikey(project.anonKey);
  const refused = await service.call<{ trace_id: string }>(anon, 'GET', `/projects/v1/${project.projectId}`);
  const { requests } = await list(project.wallet, project.projectId, `?request_id=${refused.body.trace_id}`);
  expect(requests).toEqual([
    {
      seq: expect.stringMatching(/^\d+$/),
      at: expect.any(String),
      request_id: refused.body.trace_id,
      caused_by: null,
      method: 'GET',
      route: '/projects/v1/:id',
      path: `/projects/v1/${project.projectId}`,
      status: 401,
      duration_ms: expect.any(Number),
      code: 'AUTH_REQUIRED',
      caller: 'anon',
      bytes: expect.any(Number),
    },
  ]);
  expect(requests[0]!.duration_ms).toBeGreaterThan(0);
  // Rows refuse in a dialect of their own, and their answer carries the id in a header.
  const missing = await service.call(anon, 'GET', '/rest/v1/nothing');
  const id = missing.headers.get('x-svc-trace-id');
  const [row] = (await list(project.wallet, project.projectId, `?request_id=${id}`)).requests;
  expect(row).toMatchObject({ status: 404, code: 'PGRST205', route: '/rest/v1/:table', path: '/rest/v1/nothing' });
});

test('filters narrow the log, and pages go on from a cursor, newest first', async () => {
  const project = await service.project();
  const { projectId, wallet } = project;
  const anon = actors.apikey(project.anonKey);
  const key = actors.apikey(project.serviceKey);
  await service.call(key, 'GET', '/auth/v1/settings');
  await service.call(anon, 'GET', '/rest/v1/absent');
  await service.call(key, 'POST', '/admin/v1/rest/absent', { body: {} });
  const paths = async (query: string, actor: Actor = key) =>
    (await list(actor, projectId, query)).requests.map(({ path }) => path);
  const asked = ['/admin/v1/rest/absent', '/rest/v1/absent', '/auth/v1/settings'];
  expect(await paths('', wallet)).toEqual(asked);
  const log = `/projects/v1/${projectId}/requests`;
  // A look at the log is a request, too, and a key sees its own from the next one on.
  expect(await paths('?path=/projects/')).toEqual([log]);
  expect(await paths('?status=4xx')).toEqual(asked.slice(0, 2));
  expect(await paths('?status=5xx')).toEqual([]);
  expect(await paths('?method=post')).toEqual(asked.slice(0, 1));
  expect(await paths('?path=/rest/v1/ab')).toEqual([asked[1]]);
  expect(await paths('?path=/rest/v1/a%25')).toEqual([]);
  expect(await paths(`?until=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([]);
  const first = await list(wallet, projectId, '?limit=1&status=4xx');
  expect([first.requests.map(({ path }) => path), first.has_more]).toEqual([[asked[0]], true]);
  const next = await list(wallet, projectId, `?limit=1&status=4xx&after=${first.next_cursor}`);
  expect([next.requests.map(({ path }) => path), next.has_more]).toEqual([[asked[1]], false]);
  const elsewhere = await service.call(wallet, 'GET', `${log}?after=${first.next_cursor}`);
  expectRefusal(elsewhere, 'INVALID_CURSOR', { field: 'after' });
  const graph = await service.graphql(
    wallet,
    `query ($id: ID!) { project(id: $id) { requests(first: 1, status: CLIENT_ERROR, path: "/admin") {
      leftOut edges { node { path caller status } } pageInfo { hasNextPage } } } }`,
    { id: projectId },
  );
  expect(graph.data.project.requests).toEqual({
    leftOut: expect.any(Number),
    edges: [{ node: { path: asked[0], caller: 'service', status: 404 } }],
    pageInfo: { hasNextPage: false },
  });
});

test('the log is for developers; to others a foreign project’s is like an absent one’s', async () => {
  const project = await service.project();
  const other = await service.project();
  const path = (id: string) => `/projects/v1/${id}/requests`;
  const foreign = await service.call(other.wallet, 'GET', path(project.projectId));
  const absent = await service.call(other.wallet, 'GET', path('prj_00000000000000000000'));
  expectRefusal(foreign, 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  const without = ({ body }: { body: object }) => ({ ...body, trace_id: '' });
  expect(without(foreign)).toEqual(without(absent));
  for (const [role, status] of [
    ['viewer', 403],
    ['developer', 200],
  ] as const) {
    const member = await actors.session();
    await actors.member(project.orgId, member.principalId, role);
    expect((await service.call(member, 'GET', path(project.projectId))).status).toBe(status);
    expect((await service.call(member, 'GET', `/projects/v1/${project.projectId}/metrics`)).status).toBe(200);
  }
  expectRefusal(await service.call(actors.bearer(other.serviceKey), 'GET', path(project.projectId)), 'FORBIDDEN');
});

test('no secret is kept: not of a query string, of a header, of a body or of a path', async () => {
  const project = await service.project();
  const secret = 'sEcRet0f7he1nk8Zq';
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const hex = '0123456789abcdef0123456789abcdef';
  const anon = actors.apikey(project.anonKey);
  const headers = { 'x-note': secret, authorization: `Bearer ${project.serviceKey}` };
  await service.call(anon, 'GET', `/rest/v1/things?token=${secret}&apikey=${project.serviceKey}`, { headers });
  await service.call(anon, 'GET', `/auth/v1/verify?token=${secret}&type=magiclink&redirect_to=http://x`);
  await service.call(anon, 'POST', '/auth/v1/verify', {
    body: { token: secret, type: 'magiclink', email: 'a@example.com' },
  });
  await service.call(anon, 'GET', `/rest/v1/${jwt}`);
  await service.call(anon, 'GET', `/auth/v1/oauth/${secret}/callback?code=${secret}`);
  const [row] = await control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  const at = hostCall(service, `p-${row!.public_id}.localhost`);
  for (const path of [`/join/${secret}`, `/reset/${hex}`, `/m/${jwt}`, `/${secret}/${hex}?t=${secret}`])
    await at('GET', path);
  await at('GET', '/auth/sign-in', { headers: { cookie: `__Host-Http-svc_session=${secret}` }, page: true });
  await service.app.services.traffic.flush();
  const kept = await control.sql('select * from project_requests where project_id = $1', [project.projectId]);
  expect(kept.length).toBeGreaterThan(7);
  const text = JSON.stringify(kept, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  for (const hidden of [secret, jwt, hex, project.anonKey, project.serviceKey, 'a@example.com', 'token=', '?'])
    expect(text).not.toContain(hidden);
  const paths = kept.map(({ path }) => path);
  expect(paths).toContain('/join/[hidden]');
  expect(paths).toContain('/rest/v1/things');
  // Ids are no secrets.
  await service.call(project.wallet, 'GET', `/projects/v1/${project.projectId}/errors/${hex}`);
  const [last] = (await list(project.wallet, project.projectId, '?limit=1')).requests;
  expect(last!.path).toBe(`/projects/v1/${project.projectId}/errors/${hex}`);
});

const unsigned = (payload: object, kid = 'x') =>
  `${[{ alg: 'ES256', kid }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.AA`;

test.each([
  ['a token', (token: string) => service.call(actors.apikey(token), 'GET', '/rest/v1/x'), '\u0000'],
  ['a token', (token: string) => service.call(actors.apikey(token), 'GET', '/rest/v1/x'), 'prj_\ud800'],
  ['a token', (token: string) => service.call(actors.apikey(token), 'GET', '/rest/v1/x'), 'p'.repeat(5_000)],
])('%s for a project that cannot be named is refused, and requests are counted as before', async (_case, ask, id) => {
  const project = await service.project();
  expectRefusal(await ask(unsigned({ project_id: id })), 'INVALID_AUTH');
  await service.call(actors.apikey(project.serviceKey), 'GET', '/auth/v1/settings');
  const { requests } = await list(project.wallet, project.projectId);
  expect(requests.map(({ path }) => path)).toEqual(['/auth/v1/settings']);
});

test('a path that names a project as none can be named costs nobody a count', async () => {
  const project = await service.project();
  const odd = await service.call(actors.apikey(project.anonKey), 'POST', '/projects/v1/%00/graphql', { body: {} });
  expect(odd.status).toBeLessThan(500);
  await service.call(actors.apikey(project.serviceKey), 'GET', '/auth/v1/settings');
  expect((await list(project.wallet, project.projectId)).requests[0]).toMatchObject({ path: '/auth/v1/settings' });
});

test('a code that a function of the project raises is logged if it reads like one', async () => {
  const project = await dataProject(service);
  await project.sql(`create function fail(code text) returns int language plpgsql as $$ begin
    raise sqlstate 'PGRST' using message = code, detail = '{"status": 400, "headers": {}}'; end $$`);
  const fail = (code: string) =>
    project.admin('POST', 'rpc/fail', { body: { code: JSON.stringify({ code, message: 'x' }) } });
  for (const code of ['\u0000', 'x'.repeat(200), 'MINE_1'])
    expect(await fail(code)).toMatchObject({ status: 400, body: { code: expect.any(String) } });
  const { requests } = await list(project.wallet, project.projectId, '?path=/admin/v1/rest/rpc');
  expect(requests.map(({ code }) => code)).toEqual(['MINE_1', null, null]);
});

test('a project adds so many lines at once; the others are counted as left out, and another project loses none', async () => {
  const noisy = await service.project();
  const quiet = await service.project();
  const noise = actors.apikey(noisy.anonKey);
  await service.app.services.traffic.flush();
  // Of a stranger, whose failures take nothing from those of the project's own servers.
  await Promise.all(Array.from({ length: 60 }, () => service.call(noise, 'GET', '/rest/v1/absent')));
  await service.call(actors.apikey(noisy.serviceKey), 'GET', '/admin/v1/rest/own_failure');
  await service.call(actors.apikey(quiet.anonKey), 'GET', '/rest/v1/absent');
  const page = await list(noisy.wallet, noisy.projectId, '?limit=200');
  const failures = page.requests.filter(({ path }) => path === '/rest/v1/absent');
  expect(failures.length).toBeLessThan(60);
  expect(page.left_out).toBe(60 - failures.length);
  expect(page.requests.map(({ path }) => path)).toContain('/admin/v1/rest/own_failure');
  const own = await list(quiet.wallet, quiet.projectId);
  expect([own.requests.length, own.left_out]).toEqual([1, 0]);
  const { points } = (await call(noisy.wallet, 'GET', `/projects/v1/${noisy.projectId}/metrics?range=hour`)).body;
  expect(points.reduce((sum: number, { client_errors }: { client_errors: number }) => sum + client_errors, 0)).toBe(61);
});

test('what is kept of a busy project has a bound, and failures stay for longer than the rest', async () => {
  const project = await service.project();
  await service.call(actors.apikey(project.anonKey), 'GET', '/auth/v1/settings');
  await service.app.services.traffic.flush();
  const insert = (caller: string | null, status: number, count: number, ago: string) =>
    control.sql(
      `insert into project_requests (org_id, project_id, at, request_id, method, route, path, status, duration_us, caller)
       select $1, $2, now() - interval '${ago}' - make_interval(secs => n), 'trc_x', 'GET', '/', '/', ${status}, 1, $3
       from generate_series(1, ${count}) n`,
      [project.orgId, project.projectId, caller],
    );
  await insert('service', 500, 6_000, '1 hour');
  await insert('service', 200, 6_000, '1 minute');
  await insert('service', 500, 3, '8 days');
  // What strangers fill their part with takes nothing from the others.
  await insert('anon', 404, 6_000, '30 seconds');
  await insert(null, 401, 6_000, '10 seconds');
  await sweep();
  const counts = await control.sql(
    `select count(*) filter (where status >= 400 and caller = 'service')::int as failures,
       count(*) filter (where caller = 'service')::int as rows, count(*) filter (where caller = 'anon')::int as anon,
       count(*) filter (where caller is null)::int as refused, max(at) > now() - interval '1 minute' as newest
     from project_requests where project_id = $1`,
    [project.projectId],
  );
  expect(counts).toEqual([{ failures: 5_000, rows: expect.any(Number), anon: 5_000, refused: 1_000, newest: true }]);
  expect(counts[0]!.rows).toBeLessThanOrEqual(10_000);
});

test('what is written of a project in the moment of its deletion goes with the next sweep', async () => {
  const [gone, kept] = [await service.project(), await service.project()];
  expect((await service.call(gone.wallet, 'DELETE', `/projects/v1/${gone.projectId}`)).status).toBeLessThan(300);
  for (const { orgId, projectId } of [gone, kept]) {
    await control.sql(
      `insert into project_metrics select $1, $2, span, date_trunc('hour', now()), 1, 0, 0, '{1}', 0, null, 0
       from unnest(array['minute', 'hour']) span`,
      [orgId, projectId],
    );
    await control.sql(
      `insert into project_requests (org_id, project_id, at, request_id, method, route, path, status, duration_us)
       values ($1, $2, now(), 'trc_x', 'GET', '/', '/', 200, 1)`,
      [orgId, projectId],
    );
  }
  await sweep();
  const left = async ({ projectId }: typeof gone) =>
    (
      await control.sql(
        `select 'metrics' as of from project_metrics where project_id = $1
         union all select 'requests' from project_requests where project_id = $1 and request_id = 'trc_x'`,
        [projectId],
      )
    ).map((row) => row.of);
  expect(await left(gone)).toEqual([]);
  expect(await left(kept)).toEqual(['metrics', 'metrics', 'requests']);
});

test('with a project goes what is known of its requests', async () => {
  const project = await service.project();
  await service.call(actors.apikey(project.anonKey), 'GET', '/auth/v1/settings');
  await service.app.services.traffic.flush();
  expect((await service.call(project.wallet, 'DELETE', `/projects/v1/${project.projectId}`)).status).toBeLessThan(300);
  await service.app.services.traffic.flush();
  for (const table of ['project_requests', 'project_metrics'])
    expect(await control.sql(`select 1 from ${table} where project_id = $1`, [project.projectId])).toEqual([]);
});
