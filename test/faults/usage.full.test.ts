import { pino } from 'pino';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/pool.ts';
import { createUsageCounter } from '../../kernel/limits/usage-counter.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { type GatewayProcess, killGateways } from '../helpers/gateway-process.ts';
import { until } from '../helpers/until.ts';

const world = await startFaultyWorld();
const log = pino({ level: 'silent' });
/** As close to the tables as a counter gets, past the gateway and its proxy. */
let direct: Database;
afterAll(async () => {
  await direct?.close();
  await world.stop();
});
afterEach(async () => {
  world.proxy.mend();
  await killGateways();
});

async function project(gateway: GatewayProcess) {
  const { wallet, orgId } = await world.owner(gateway);
  const { body } = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  const headers = { authorization: `Bearer ${body.service_key}` };
  const ask = (on: GatewayProcess) =>
    on.call({ headers: async () => headers }, 'GET', `/projects/v1/${body.project_id}`);
  return { orgId, projectId: body.project_id!, ask };
}

const counted = async (projectId: string) => {
  const rows = await world.sql<{ calls: string }>(
    'select coalesce(sum(api_calls), 0) as calls from project_usage where project_id = $1',
    [projectId],
  );
  return Number(rows[0]!.calls);
};

test('a server that is asked to stop has written every call', async () => {
  const gateway = await world.start();
  const { projectId, ask } = await project(gateway);
  // Its own read of the project writes what was counted before, and not itself.
  for (let time = 0; time < 7; time++) expect((await ask(gateway)).status).toBe(200);
  const busy = Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
  await busy;
  expect(await gateway.stop()).toBe(0);
  expect(await counted(projectId)).toBe(27);
});

test('calls are written without anybody asking, and those counted before an outage are written after it', async () => {
  const gateway = await world.start();
  const { projectId, ask } = await project(gateway);
  await ask(gateway);
  await until(async () => expect(await counted(projectId)).toBe(1));
  // Nothing can be written while the table is held, and the connections then break in the middle of it.
  const release = await world.hold('lock table project_usage in access exclusive mode');
  const asked = ask(gateway).catch(() => undefined);
  await world.blocked(/insert into "project_usage"/);
  world.proxy.cut();
  await asked;
  await release();
  world.proxy.mend();
  await until(async () => expect(await counted(projectId)).toBe(2));
  await until(async () => expect((await ask(gateway)).status).toBe(200));
  await gateway.stop();
  // What was asked while nobody could be found in the database was refused, and counts for nothing.
  expect(await counted(projectId)).toBe(3);
});

test('a batch whose answer was lost is sent again and added once, whether it had arrived or not', async () => {
  const gateway = await world.start();
  const { orgId, projectId } = await project(gateway);
  direct = openDatabase({ url: (await databaseUrl()).href });
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
  const counter = createUsageCounter({ db: unreliable, log });
  let calls = 0;
  while (faults.length > 0) {
    for (let time = 0; time < 3; time++, calls++) counter.count({ orgId, projectId });
    await counter.flush();
  }
  await counter.close();
  expect(await counted(projectId)).toBe(calls);
  // And nothing is left that a later flush would send.
  await counter.flush();
  expect(await counted(projectId)).toBe(calls);
});

test('nodes that count the same projects at the same time lose nothing and wait for nobody', async () => {
  const gateway = await world.start();
  const projects = await Promise.all([project(gateway), project(gateway), project(gateway)]);
  direct ??= openDatabase({ url: (await databaseUrl()).href });
  const nodes = Array.from({ length: 4 }, () => createUsageCounter({ db: direct, log, everyMs: 1 }));
  await Promise.all(
    nodes.map(async (node, at) => {
      for (let time = 0; time < 50; time++) {
        // Each in an order of its own.
        for (let next = 0; next < 3; next++) node.count(projects[(at + time + next) % 3]!);
        await node.flush();
      }
      await node.close();
    }),
  );
  for (const { projectId } of projects) expect(await counted(projectId)).toBe(200);
});

test('projects beyond the bound are not counted, and those within it are', async () => {
  const gateway = await world.start();
  const [one, other] = await Promise.all([project(gateway), project(gateway)]);
  direct ??= openDatabase({ url: (await databaseUrl()).href });
  const counter = createUsageCounter({ db: direct, log, projectsMax: 1 });
  for (const called of [one, other, one]) counter.count(called!);
  await counter.close();
  expect([await counted(one!.projectId), await counted(other!.projectId)]).toEqual([2, 0]);
});

async function databaseUrl(): Promise<URL> {
  const url = new URL((await world.postgres.database()).url);
  url.pathname = `/${world.name}`;
  return url;
}
