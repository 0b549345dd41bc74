import { afterAll, expect, test } from 'vitest';
import { housekeepingTask } from '../../server/housekeeping.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { EventStream } from './event-stream.ts';
import { liveProject } from './live-project.ts';

// Nobody tells the other node anything: what it knows it has found by itself.
const service = await startService({ nodes: 2, env: { NATS_URL: 'nats://127.0.0.1:9' } });
afterAll(() => service.stop());
const [first, second] = service.nodes;
const project = await liveProject(service);
const { run, stream } = project;

const counted = async () => {
  const [row] = await service.control.sql<{ n: number }>(
    'select coalesce(sum(count), 0)::int as n from live_connections where project_id = $1 and expires_at > now()',
    [project.projectId],
  );
  return row!.n;
};

test('of 60 streams that open at once on two nodes the project gets 50, and each that ends makes room', async () => {
  const streams = await Promise.all(
    Array.from({ length: 60 }, (_, at) => stream({ tables: 'notes', url: service.nodes[at % 2]!.url })),
  );
  const open = streams.filter(({ status }) => status === 200);
  const refused = streams.filter(({ status }) => status !== 200);
  expect(open).toHaveLength(50);
  for (const one of refused) {
    expect(one.status).toBe(429);
    expect(Number(one.headers['retry-after'])).toBeGreaterThan(0);
    expect(await one.body()).toMatchObject({ code: 'LIVE_CONNECTION_LIMIT', retryable: true, details: { limit: 50 } });
  }
  // Held reads do not count.
  expect((await project.changes({ tables: 'notes' })).status).toBe(200);
  for (const one of open) expect(await one.next()).toMatchObject({ event: 'ready' });
  await run(`insert into notes (body) values ('to all')`);
  for (const one of open) expect(await one.next()).toMatchObject({ event: 'change' });
  open[0]!.close();
  await until(async () => expect(await counted()).toBe(49));
  const [taken, late] = await Promise.all([first, second].map((node) => stream({ tables: 'notes', url: node!.url })));
  expect([taken!.status, late!.status].sort()).toEqual([200, 429]);
  for (const one of [...open, taken!, late!]) one.close();
  await until(async () => expect(await counted()).toBe(0));
});

test.each([
  ['too many', 48],
  ['too few', -2],
])('a count that says %s is put right while streams go on', async (_how, wrong) => {
  const { url } = first!;
  const streams = [await stream({ tables: 'notes', url }), await stream({ tables: 'notes', url })];
  expect(await counted()).toBe(2);
  await service.control.sql('update live_connections set count = count + $2 where project_id = $1 and count > 0', [
    project.projectId,
    wrong,
  ]);
  expect(await counted()).toBe(2 + wrong);
  await until(async () => expect(await counted()).toBe(2));
  for (const one of streams) one.close();
  await until(async () => expect(await counted()).toBe(0));
});

test('a project of a higher tier has 200', async () => {
  const other = await liveProject(service);
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [other.orgId]);
  await service.control.sql(
    `insert into live_connections (project_id, node_id, count, expires_at)
      values ($1, 'elsewhere', 199, now() + interval '1 minute'), ($1, 'vanished', 500, now() - interval '1 second')`,
    [other.projectId],
  );
  let last: EventStream | undefined;
  await until(async () => {
    last = await other.stream({ tables: 'notes' });
    expect(last.status).toBe(200);
  });
  expect((await other.stream({ tables: 'notes' })).status).toBe(429);
  last!.close();
});

test('what one node commits is told on the other, and a cursor of one is good on the other', async () => {
  const events = await stream({ tables: 'notes', url: second!.url });
  const ready = await events.next();
  const headers = { apikey: project.anonKey, 'content-type': 'application/json' };
  const posted = await fetch(`${first!.url}/rest/v1/notes`, { method: 'POST', headers, body: '{"body":"x"}' });
  expect(posted.status).toBe(201);
  expect(await events.next()).toMatchObject({ event: 'change', data: { op: 'insert', n: 1 } });
  events.close();
  const again = await stream({ tables: 'notes', cursor: ready!.id!, url: first!.url });
  expect(await again.next()).toMatchObject({ event: 'ready', id: ready!.id });
  expect(await again.next()).toMatchObject({ event: 'change', data: { op: 'insert', n: 1 } });
  again.close();
});

test('an expired cursor is the same on every node', async () => {
  const { body } = await project.changes({ tables: 'notes' });
  await run(`insert into notes (body) values ('gone')`);
  await project.sql('delete from _svc.live_marks');
  await project.sql('select _svc.prune_live()');
  await project.sql(`update _svc.live_marks set at = at - interval '11 minutes'`);
  // Nobody follows: housekeeping forgets.
  await service.control.sql(`select graphile_worker.add_job($1, job_key => $1)`, [housekeepingTask]);
  await until(async () =>
    expect(await project.sql('select count(*)::int as n from _svc.live_hints')).toEqual([{ n: 0 }]),
  );
  for (const { url } of service.nodes) {
    const events = await stream({ tables: 'notes', cursor: body.cursor, url });
    expect(await events.next()).toMatchObject({ event: 'resync', data: { reason: 'cursor_expired' } });
    events.close();
  }
});

test('a node that stops lets its streams go on elsewhere; what is written while none runs is told afterwards', async () => {
  const events = await stream({ tables: 'notes', url: first!.url });
  const ready = await events.next();
  await Promise.all(service.nodes.map((node) => node.stop()));
  expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'server_stopping' } });
  expect(await events.next()).toBeUndefined();
  await project.sql(`insert into notes (body) values ('while down')`);
  await project.sql(`insert into notes (body) values ('as well'), ('too')`);
  const next = await service.startNode();
  const again = await stream({ tables: 'notes', cursor: ready!.id!, url: next.url });
  expect(await again.next()).toMatchObject({ event: 'ready', id: ready!.id });
  expect(await again.next()).toMatchObject({ event: 'change', data: { n: 1 } });
  expect(await again.next()).toMatchObject({ event: 'change', data: { n: 2 } });
  again.close();
});
