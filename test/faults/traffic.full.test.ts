import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/pool.ts';
import type { ServedRequest } from '../../kernel/traffic/request-lines.ts';
import { createTraffic } from '../../kernel/traffic/traffic.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { killGateways } from '../helpers/gateway-process.ts';

const world = await startFaultyWorld();
const gateway = await world.start();
const url = new URL((await world.postgres.database()).url);
url.pathname = `/${world.name}`;
/** As close to the tables as the count gets, past the gateway and its proxy. */
const direct = openDatabase({ url: url.href });
afterAll(async () => {
  await direct.close();
  await killGateways();
  await world.stop();
});

async function project() {
  const { wallet, orgId } = await world.owner(gateway);
  const { body } = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  return body.project_id!;
}

const trafficOn = (db: Pick<Database, 'rows'>, now = () => new Date()) =>
  createTraffic({
    db,
    log: pino({ level: 'silent' }),
    now,
    connections: () => [],
    sizesBytes: async () => [],
  });

const request = (projectId: string, more: Partial<ServedRequest> = {}): ServedRequest => ({
  projectId,
  isKnown: true,
  calledAs: 'service',
  causedBy: undefined,
  requestId: `trc_${'0'.repeat(32)}`,
  method: 'GET',
  route: '/admin/v1/rest/:table',
  path: '/admin/v1/rest/notes',
  status: 500,
  code: 'INTERNAL_ERROR',
  ms: 4,
  bytes: 2,
  ...more,
});

const kept = async (projectId: string) => {
  const [row] = await world.sql<{ requests: number; errors: number; unlogged: number; lines: number }>(
    `select coalesce(sum(requests), 0)::int as requests, coalesce(sum(server_errors), 0)::int as errors,
       coalesce(sum(unlogged), 0)::int as unlogged,
       (select count(*)::int from project_requests where project_id = $1) as lines
     from project_metrics where project_id = $1`,
    [projectId],
  );
  return row!;
};

test('a batch whose answer was lost is sent again and counted once, its lines too, whether it had arrived or not', async () => {
  const projectId = await project();
  const before = await kept(projectId);
  const faults: ('before' | 'after')[] = ['before', 'after', 'after', 'before', 'after'];
  const unreliable: Pick<Database, 'rows'> = {
    async rows<Row extends object>(...sent: readonly unknown[]) {
      const fault = faults.shift();
      if (fault === 'before') throw new Error('Connection terminated unexpectedly');
      const rows = await (direct.rows as (...sent: readonly unknown[]) => Promise<Row[]>)(...sent);
      if (fault === 'after') throw new Error('Connection terminated unexpectedly');
      return rows;
    },
  };
  const traffic = trafficOn(unreliable);
  let noted = 0;
  while (faults.length > 0) {
    for (let time = 0; time < 3; time++, noted++) traffic.note(request(projectId));
    await traffic.flush();
  }
  await traffic.close();
  const after = await kept(projectId);
  expect({
    requests: after.requests - before.requests,
    errors: after.errors - before.errors,
    lines: after.lines - before.lines,
  }).toEqual({ requests: noted, errors: noted, lines: noted });
});

test('nodes that count the same projects at the same time lose nothing and wait for nobody', async () => {
  const projects = await Promise.all([project(), project(), project()]);
  const before = await Promise.all(projects.map(kept));
  const nodes = Array.from({ length: 4 }, () => trafficOn(direct));
  await Promise.all(
    nodes.map(async (node, at) => {
      for (let time = 0; time < 25; time++) {
        // Each in an order of its own.
        for (let next = 0; next < 3; next++) node.note(request(projects[(at + time + next) % 3]!));
        await node.flush();
      }
      await node.close();
    }),
  );
  const after = await Promise.all(projects.map(kept));
  expect(after.map(({ requests }, at) => requests - before[at]!.requests)).toEqual([100, 100, 100]);
});

test('a thousand projects that clients make up take no place from those that there are', async () => {
  const projectId = await project();
  const before = await kept(projectId);
  const traffic = trafficOn(direct);
  for (let made = 0; made < 3_000; made++) traffic.note(request(`prj_made_up_${made}`, { isKnown: false }));
  traffic.note(request(projectId));
  await traffic.close();
  const after = await kept(projectId);
  expect([after.requests - before.requests, after.lines - before.lines]).toEqual([1, 1]);
  expect(await world.sql(`select 1 from project_metrics where project_id like 'prj_made_up_%'`)).toEqual([]);
});

test.each([
  ['an id with a NUL character', { projectId: 'prj_\u0000', isKnown: false }],
  ['half a surrogate pair', { requestId: 'trc_\ud800' }],
  ['a NUL character in a path', { path: '/rest/v1/\u0000' }],
])('%s that no table takes costs its own second alone', async (_case, more) => {
  const projectId = await project();
  const before = await kept(projectId);
  const traffic = trafficOn(direct);
  traffic.note(request(projectId, more));
  await traffic.flush();
  traffic.note(request(projectId));
  await traffic.flush();
  const after = await kept(projectId);
  expect([after.requests - before.requests, after.lines - before.lines]).toEqual([1, 1]);
  await traffic.close();
});

test('a code that a tenant makes up is left out of the log, and so is the excess of a length', async () => {
  const projectId = await project();
  const traffic = trafficOn(direct);
  const codes = ['\u0000', 'x'.repeat(65), 'a b', 'P0001'];
  for (const code of codes) traffic.note(request(projectId, { code, bytes: 2 ** 40, path: `/${code.length}` }));
  await traffic.close();
  const rows = await world.sql(
    `select code, bytes from project_requests where project_id = $1 and route = '/admin/v1/rest/:table' order by seq`,
    [projectId],
  );
  const bytes = 2 ** 31 - 1;
  expect(rows).toEqual([null, null, null, 'P0001'].map((code) => ({ code, bytes })));
});

test('a flush ends though requests arrive all the while, and has written what was noted before', async () => {
  const projectId = await project();
  const before = await kept(projectId);
  let writes = 0;
  const busy: Pick<Database, 'rows'> = {
    async rows<Row extends object>(...sent: readonly unknown[]) {
      writes += 1;
      if (writes > 20) throw new Error('There is no end to it.');
      const rows = await (direct.rows as (...sent: readonly unknown[]) => Promise<Row[]>)(...sent);
      traffic.note(request(projectId, { path: '/later' }));
      return rows;
    },
  };
  const traffic = trafficOn(busy);
  traffic.note(request(projectId));
  await traffic.flush();
  expect(writes).toBe(1);
  const first = traffic.flush();
  traffic.note(request(projectId));
  await Promise.all([first, traffic.flush()]);
  expect(writes).toBeLessThanOrEqual(3);
  expect((await kept(projectId)).requests - before.requests).toBeGreaterThanOrEqual(3);
  await traffic.close();
});

test('a reader who flushes has no more lines logged in a second', async () => {
  const projectId = await project();
  const before = await kept(projectId);
  const at = new Date();
  const traffic = trafficOn(direct, () => at);
  for (let time = 0; time < 5; time++) {
    for (let each = 0; each < 10; each++) traffic.note(request(projectId));
    await traffic.flush();
  }
  at.setTime(at.getTime() + 1_000);
  for (let each = 0; each < 30; each++) traffic.note(request(projectId));
  await traffic.close();
  const after = await kept(projectId);
  expect([after.requests - before.requests, after.lines - before.lines]).toEqual([80, 40]);
});

test('projects that clients make up take no line from those that there are', async () => {
  const projectId = await project();
  const before = await kept(projectId);
  const at = new Date();
  const traffic = trafficOn(direct, () => at);
  for (let made = 0; made < 900; made++)
    for (let each = 0; each < 20; each++)
      traffic.note(request(`prj_made_up_${made}`, { isKnown: false, calledAs: undefined }));
  for (let each = 0; each < 20; each++) traffic.note(request(projectId));
  await traffic.close();
  const after = await kept(projectId);
  expect(after.lines - before.lines).toBe(20);
});

test('while nothing can be written some minutes of each project wait, and the rest is told in the end', async () => {
  const projectId = await project();
  const told: { readonly uncounted?: number }[] = [];
  const at = new Date();
  const failing: Pick<Database, 'rows'> = { rows: () => Promise.reject(new Error('Connection terminated')) };
  const traffic = createTraffic({
    db: failing,
    log: pino({ level: 'error' }, { write: (line) => told.push(JSON.parse(line)) }),
    now: () => at,
    connections: () => [],
    sizesBytes: async () => [],
  });
  for (let minute = 0; minute < 60; minute++) {
    traffic.note(request(projectId));
    if (minute === 0) await traffic.flush();
    at.setTime(at.getTime() + 60_000);
  }
  await traffic.close();
  const uncounted = told.map((one) => one.uncounted ?? 0);
  expect(uncounted.reduce((sum, count) => sum + count, 0)).toBe(60);
  // The first tells what found no place: all but a few minutes.
  expect(uncounted[0]).toBeGreaterThan(50);
});
