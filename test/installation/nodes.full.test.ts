import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { documentedCalls, moment } from '../helpers/documented.ts';
import { admin, type GatewayProcess, killGateways, startGateway, temporaryFolder } from '../helpers/gateway-process.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

const home = await temporaryFolder();
const postgres = await startOwnPostgres();
const { url: databaseUrl } = await postgres.database();
const control = new pg.Pool({ connectionString: databaseUrl, max: 1 });
afterAll(async () => {
  await killGateways();
  await control.end();
  await postgres.stop();
  await home.remove();
});

const start = (env: Record<string, string> = {}) => startGateway({ databaseUrl, dataDir: home.path, env });
const nodesOf = async (gateway: GatewayProcess) =>
  (await documentedCalls(gateway)(admin, 'GET', '/admin/v1/nodes')).body.nodes;
/** As if so much time had passed since the node was last heard of. */
const silentFor = (pid: number, time: string) =>
  control.query('update gateway_nodes set seen_at = seen_at - $2::interval where pid = $1', [pid, time]);

test('a node tells of itself, leaves when it stops, and is gone when it was killed', async () => {
  const first = await start();
  expect(await nodesOf(first)).toEqual([
    {
      node_id: expect.stringMatching(/^nod_[a-z0-9]{26}$/),
      state: 'alive',
      host: hostname(),
      pid: first.pid,
      version: expect.any(String),
      url: first.url.replace('localhost', '127.0.0.1'),
      started_at: moment,
      seen_at: moment,
      lag_ms: expect.any(Number),
      rss_bytes: expect.any(Number),
      heap_bytes: expect.any(Number),
      pool_total: expect.any(Number),
      pool_idle: expect.any(Number),
      pool_waiting: 0,
      sockets: 0,
      subscriptions: 0,
    },
  ]);
  await first.stop();

  const second = await start();
  expect((await nodesOf(second)).map(({ pid }: { pid: number }) => pid)).toEqual([second.pid]);
  await second.kill();

  const third = await start();
  const states = async () =>
    (await nodesOf(third)).map(({ pid, state }: { pid: number; state: string }) => [pid, state]);
  // It may only be slow.
  expect(await states()).toEqual([
    [third.pid, 'alive'],
    [second.pid, 'alive'],
  ]);
  await silentFor(second.pid, '31 seconds');
  expect(await states()).toEqual([
    [third.pid, 'alive'],
    [second.pid, 'gone'],
  ]);
  await third.stop();
});

test('a gateway that is killed and started at the same place keeps one row', async () => {
  const PORT = String(await freePort());
  const killed = await start({ PORT });
  await killed.kill();
  await silentFor(killed.pid, '31 seconds');
  const next = await start({ PORT });
  const pids = (await nodesOf(next)).map(({ pid }: { pid: number }) => pid);
  expect(pids).toContain(next.pid);
  expect(pids).not.toContain(killed.pid);
  await next.stop();
});
