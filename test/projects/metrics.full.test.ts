import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { openRawSocket } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';
import { cookieName, hostCall } from '../hosted/host-call.ts';
import { liveProject, notes } from '../live/live-project.ts';

const service = await startService({ nodes: 2, jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

interface Point {
  readonly at: string;
  readonly requests: number;
  readonly client_errors: number;
  readonly server_errors: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly connections: number;
  readonly storage_bytes: number | null;
}

const settled = () => Promise.all(service.nodes.map(({ services }) => services.traffic.flush()));
const metrics = async (actor: Parameters<typeof call>[0], projectId: string, range = 'hour') => {
  await settled();
  return (await call(actor, 'GET', `/projects/v1/${projectId}/metrics?range=${range}`)).body as {
    step_seconds: number;
    points: Point[];
  };
};
const sum = (points: readonly Point[], member: 'requests' | 'client_errors' | 'server_errors') =>
  points.reduce((total, point) => total + point[member], 0);
/** What was counted, read past the gateway, so that reading counts for nothing. */
const counted = async (projectId: string) => {
  await settled();
  const [row] = await control.sql<{ requests: number; client_errors: number; server_errors: number; latency: number }>(
    `select coalesce(sum(requests), 0)::int as requests, coalesce(sum(client_errors), 0)::int as client_errors,
       coalesce(sum(server_errors), 0)::int as server_errors,
       coalesce(sum((select sum(n) from unnest(latency) n)), 0)::int as latency
     from project_metrics where project_id = $1`,
    [projectId],
  );
  return row!;
};

test('requests of every door count, each once, on whichever node they arrive', async () => {
  const project = await liveProject(service);
  await project.expose(notes);
  const { projectId, anonKey, serviceKey } = project;
  const before = await counted(projectId);
  const anon = actors.apikey(anonKey);
  const key = actors.apikey(serviceKey);
  const graph = `/projects/v1/${projectId}/graphql`;
  const asked: readonly (readonly [status: number, Promise<{ readonly status: number }>])[] = [
    [200, service.call(anon, 'GET', '/rest/v1/notes?select=*')],
    [404, service.call(anon, 'GET', '/rest/v1/nothing_here')],
    [200, service.call(key, 'GET', '/admin/v1/rest/notes')],
    [404, service.call(anon, 'POST', '/rest/v1/rpc/nothing_here', { body: {} })],
    [200, service.call(key, 'GET', '/auth/v1/settings')],
    [400, service.call(anon, 'POST', '/auth/v1/token?grant_type=password', { body: {} })],
    [200, service.call(anon, 'POST', graph, { body: { query: '{ __typename }' } })],
    // An answer of GraphQL is a success by its status, and an error by what it says.
    [200, service.call(anon, 'POST', graph, { body: { query: '{ nothingHere }' } })],
    [401, service.call(actors.nobody, 'POST', graph, { body: { query: '{ __typename }' } })],
    [200, service.call(key, 'GET', `/projects/v1/${projectId}`)],
    [403, service.call(key, 'GET', `/projects/v1/${projectId}/keys`)],
    [200, service.call(anon, 'GET', '/live/v1/changes?tables=notes')],
  ];
  for (const [status, answer] of asked) expect((await answer).status).toBe(status);
  const after = await counted(projectId);
  expect({
    requests: after.requests - before.requests,
    client_errors: after.client_errors - before.client_errors,
    server_errors: after.server_errors - before.server_errors,
    latency: after.latency - before.latency,
  }).toEqual({ requests: 12, client_errors: 6, server_errors: 0, latency: 12 });
  await project.end();
});

test('pages and hints on the host of a project count for it', async () => {
  const project = await service.project();
  const [row] = await control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  const at = hostCall(service, `p-${row!.public_id}.localhost`);
  expect((await at('GET', '/auth/sign-in', { page: true })).status).toBe(200);
  expect((await at('GET', '/_svc/config.json')).status).toBe(200);
  expect((await at('GET', '/nothing/here')).status).toBe(404);
  expect((await at('GET', '/_svc/live?tables=absent', { cookie: `${cookieName}=x` })).status).toBe(403);
  expect(await counted(project.projectId)).toMatchObject({ requests: 4, client_errors: 2 });
});

test('on sockets the opening and each operation count, and a refused one is an error', async () => {
  const project = await service.project();
  const socket = await openProtocolSocket(`${service.url}/projects/v1/${project.projectId}`);
  await socket.init({ apikey: project.anonKey });
  socket.subscribe('one', '{ __typename }');
  await socket.next('next', 'one');
  socket.subscribe('two', '{ nothingHere }');
  await socket.next('error', 'two');
  socket.socket.close();
  await socket.closed;
  expect(await counted(project.projectId)).toMatchObject({ requests: 3, client_errors: 1 });
  // With a key of the project on the platform's own socket.
  const platform = await openRawSocket(service.url, actors.bearer(project.serviceKey));
  await platform.run(`{ project(id: "${project.projectId}") { name } }`);
  await platform.close();
  expect(await counted(project.projectId)).toMatchObject({ requests: 5, client_errors: 1 });
});

test('a client may name a project that is not there, or not its own, and adds nothing to what is not asked for', async () => {
  const project = await service.project();
  const other = await service.project();
  const absent = `prj_${'0'.repeat(20)}`;
  for (const id of [absent, project.projectId])
    expect((await service.call(other.wallet, 'GET', `/projects/v1/${id}`)).status).toBe(403);
  expect(await counted(absent)).toMatchObject({ requests: 0 });
  // A refused try is one of the project that it names.
  expect(await counted(project.projectId)).toMatchObject({ requests: 1, client_errors: 1 });
  // What is about several projects, or about an organization, is of none of them.
  await service.graphql(project.wallet, `{ project(id: "${project.projectId}") { name } }`);
  await service.call(project.wallet, 'GET', `/orgs/v1/${project.orgId}`);
  expect(await counted(project.projectId)).toMatchObject({ requests: 1 });
});

test('an answer has every step of its range, and a step without requests has zeros and no latency', async () => {
  const project = await service.project();
  await service.call(actors.apikey(project.anonKey), 'GET', '/rest/v1/none');
  const steps = { hour: [60, 60], day: [600, 144], week: [3600, 168], month: [21_600, 120] } as const;
  for (const [range, [seconds, count]] of Object.entries(steps)) {
    const { step_seconds, points } = await metrics(project.wallet, project.projectId, range);
    expect([step_seconds, points.length]).toEqual([seconds, count]);
    const moments = points.map(({ at }) => Date.parse(at));
    expect(
      moments.every((at, n) => at % (seconds * 1000) === 0 && (n === 0 || at - moments[n - 1]! === seconds * 1000)),
    ).toBe(true);
    expect(sum(points, 'client_errors')).toBe(1);
    expect(points[0]).toEqual({
      at: expect.any(String),
      requests: 0,
      client_errors: 0,
      server_errors: 0,
      p50_ms: null,
      p95_ms: null,
      connections: 0,
      storage_bytes: null,
    });
    expect(points.at(-1)!.storage_bytes).toBeGreaterThan(1_000_000);
  }
  const { points } = await metrics(project.wallet, project.projectId);
  const busy = points.find(({ requests }) => requests > 0)!;
  expect(busy.p50_ms).toBeGreaterThan(0);
  expect(busy.p95_ms).toBeGreaterThanOrEqual(busy.p50_ms!);
  expect(Math.max(...points.map(({ connections }) => connections))).toBeGreaterThan(0);
  expectRefusal(
    await service.call(project.wallet, 'GET', `/projects/v1/${project.projectId}/metrics?range=year`),
    'VALIDATION_FAILED',
    { field: 'range' },
  );
});

test('percentiles come from all of the requests of a step, however their minutes are cut', async () => {
  const project = await service.project();
  // 90 of them within 8 ms and 10 within 500, in two minutes.
  const latency = Array<number>(21).fill(0);
  latency[4] = 45;
  latency[13] = 5;
  for (const minute of [3, 4])
    await control.sql(
      `insert into project_metrics select $1, $2, 'minute', date_trunc('hour', now() - interval '2 hours', 'UTC') + make_interval(mins => ${minute}),
        50, 0, 0, $3, 1, null, 0`,
      [project.orgId, project.projectId, latency],
    );
  const { points } = await metrics(project.wallet, project.projectId, 'day');
  const step = points.find(({ requests }) => requests === 100)!;
  expect([step.p50_ms, step.p95_ms]).toEqual([6.7, 400]);
});

test('minutes of the day before become hours, with the same sums, and what is older goes', async () => {
  const project = await service.project();
  const latency = Array<number>(21).fill(0);
  latency[2] = 3;
  await control.sql(
    `insert into project_metrics
     select $1, $2, 'minute', date_trunc('hour', now() - interval '30 hours', 'UTC') + make_interval(mins => m), 3, 1, 1, $3, m, m * 1000, 2
     from generate_series(0, 119) m`,
    [project.orgId, project.projectId, latency],
  );
  await control.sql(
    `insert into project_metrics select $1, $2, 'hour', date_trunc('hour', now() - interval '31 days', 'UTC'), 7, 0, 0, $3, 0, null, 0`,
    [project.orgId, project.projectId, latency],
  );
  const { services } = service.app;
  const job = {
    ctx: jobContext(services, new AbortController().signal),
    log: services.log,
    mailer: { configured: false },
  };
  // Twice: what was added once is added no more.
  for (let time = 0; time < 2; time++) await keepHouse(job as unknown as TaskContext, {});
  const rows = await control.sql(
    `select span, requests, client_errors, server_errors, latency[3] as quick, connections, storage_bytes::int, unlogged
     from project_metrics where project_id = $1 and starts_at < now() - interval '2 hours' order by starts_at`,
    [project.projectId],
  );
  const hour = { span: 'hour', requests: 180, client_errors: 60, server_errors: 60, quick: 180, unlogged: 120 };
  expect(rows).toEqual([
    { ...hour, connections: 59, storage_bytes: 59_000 },
    { ...hour, connections: 119, storage_bytes: 119_000 },
  ]);
  expect(sum((await metrics(project.wallet, project.projectId, 'week')).points, 'server_errors')).toBe(120);
});

test('connections and followers that are open show, those of all nodes together', async () => {
  const project = await liveProject(service);
  await project.expose(notes);
  const streams = await Promise.all(service.nodes.map(({ url }) => project.stream({ tables: 'notes', url })));
  await settled();
  const peak = async () =>
    Math.max(
      ...(await metrics(actors.apikey(project.serviceKey), project.projectId)).points.map(
        ({ connections }) => connections,
      ),
    );
  // A follower on each node, and the connections that they were let in by.
  expect(await peak()).toBeGreaterThanOrEqual(4);
  for (const stream of streams) stream.close();
  await project.end();
});

test('no statement is sent for a request: counting is one for all of a second', async () => {
  const project = await service.project();
  const anon = actors.apikey(project.anonKey);
  await service.call(anon, 'GET', '/auth/v1/settings');
  await settled();
  const [node] = service.nodes;
  const all: string[] = [];
  const sent = await service.statements(async () => {
    for (let time = 0; time < 20; time++) await service.call(anon, 'GET', '/auth/v1/settings');
  });
  all.push(...sent);
  expect(all.filter((text) => /project_metrics|project_requests/.test(text))).toEqual([]);
  await node!.services.traffic.flush();
  expect((await counted(project.projectId)).requests).toBe(21);
});

test('steps add up what lies in them, and a size holds until the next one', async () => {
  const project = await service.project();
  const latency = Array<number>(21).fill(0);
  latency[4] = 2;
  const insert = (span: string, ago: string, connections: number, bytes: number | null) =>
    control.sql(
      `insert into project_metrics select $1, $2, '${span}',
         to_timestamp(floor(extract(epoch from now()) / 21600) * 21600) - interval '${ago}', 2, 1, 1, $3, $4, $5, 0`,
      [project.orgId, project.projectId, latency, connections, bytes],
    );
  await insert('hour', '40 days', 9, 500);
  await insert('hour', '12 hours', 3, 1_000);
  await insert('minute', '11 hours 59 minutes', 5, null);
  await insert('minute', '7 hours', 4, 2_000);
  const { points } = await metrics(project.wallet, project.projectId, 'month');
  expect(points.slice(-4, -1)).toEqual([
    { ...points.at(-4), requests: 0, p50_ms: null, connections: 0, storage_bytes: 500 },
    { ...points.at(-3), requests: 6, client_errors: 3, server_errors: 3, connections: 5, storage_bytes: 2_000 },
    { ...points.at(-2), requests: 0, storage_bytes: 2_000 },
  ]);
  expect(points.at(-3)!.p50_ms).toBe(6.5);
});

test('a request is charged for each point of its metrics', async () => {
  const query = (first: number) => `{ projects(first: ${first}) { edges { node { metrics { points {
    at requests clientErrors serverErrors p50Ms p95Ms connections storageBytes } } } } } }`;
  const { wallet } = await service.owner();
  const answer = await service.graphql(wallet, query(200));
  expect(answer.errors?.[0]?.message).toMatch(/cost/);
  expect((await service.graphql(wallet, query(10))).errors).toBeUndefined();
});

test('metrics of many projects take the same statements as those of one', async () => {
  const query = '{ projects(first: 50) { edges { node { id metrics(range: WEEK) { points { requests } } } } } }';
  // Tests before this one left followers, whom a node looks after at times of its own.
  const own = (texts: string[]) => texts.filter((text) => !text.includes('pg_stat_database'));
  const taken: string[][] = [];
  const { wallet, orgId } = await service.owner();
  for (const _one of [1, 2]) {
    await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
    await settled();
    // Each node has measured the databases lately: a size is not asked for with each answer.
    for (const _node of service.nodes) await service.graphql(wallet, query);
    const told: string[][] = [];
    // Whatever else is remembered may be forgotten in the meantime: the fewest statements are those of the metrics.
    for (let run = 0; run < 4; run++)
      told.push(
        await service.statements(async () => {
          const { data } = await service.graphql(wallet, query);
          expect(data.projects.edges).toHaveLength(taken.length + 1);
          for (const { node } of data.projects.edges) expect(node.metrics.points).toHaveLength(168);
        }),
      );
    taken.push(told.map(own).toSorted((one, other) => one.length - other.length)[0]!);
  }
  expect(taken[1]).toEqual(taken[0]);
});
