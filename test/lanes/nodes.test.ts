import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { natsProgram } from '../../scripts/lane-programs.ts';
import {
  admin,
  createWallet,
  type GatewayProcess,
  killGateways,
  startGateway,
  temporaryFolder,
} from '../helpers/gateway-process.ts';
import { openSocket, type SocketClient } from '../helpers/graphql-ws-client.ts';
import { knownMigrations } from '../helpers/known-migrations.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import type { TestWallet } from '../helpers/wallet.ts';

// `apt-get install nats-server`
describe.skipIf(natsProgram() === undefined)('three nodes on one database, with NATS between them', () => {
  let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
  let nats: NatsServer;
  let control: pg.Pool;
  let nodes: readonly GatewayProcess[];
  let natsPort: number;
  let monitorPort: number;
  const cleanups: (() => unknown)[] = [];

  const startNatsAgain = async () => {
    nats = await startNats(natsPort, ['-m', String(monitorPort)]);
  };

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    cleanups.push(() => postgres.stop());
    const { url } = await postgres.database();
    control = new pg.Pool({ connectionString: url, max: 2 });
    cleanups.push(() => control.end());
    [natsPort, monitorPort] = [await freePort(), await freePort()];
    await startNatsAgain();
    cleanups.push(() => nats.stop());
    // The database is empty: all three find it so, at the same time.
    nodes = await Promise.all(
      [1, 2, 3].map(async () => {
        const folder = await temporaryFolder();
        cleanups.push(folder.remove);
        return startGateway({ databaseUrl: url, dataDir: folder.path, env: { NATS_URL: nats.url } });
      }),
    );
    cleanups.push(killGateways);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  async function owner(node: GatewayProcess): Promise<{ readonly wallet: TestWallet; readonly orgId: string }> {
    const wallet = createWallet();
    const { body } = await node.call<{ org_id: string }>(node.as(wallet), 'POST', '/orgs/v1', { body: {} });
    return { wallet, orgId: body.org_id };
  }

  const send = async (node: GatewayProcess, wallet: TestWallet, org: string, body: string) => {
    const { status } = await node.call(node.as(wallet), 'POST', `/orgs/v1/${org}/rooms/standup/messages`, {
      body: { body },
    });
    expect(status).toBe(201);
  };

  function follow(node: GatewayProcess, wallet: TestWallet, org: string) {
    const socket: SocketClient = openSocket(node.url, wallet);
    onTestFinished(() => void socket.client.dispose());
    const events = socket.follow({ org, room: 'standup' });
    return {
      events,
      next: async () => (await events.next()).value?.data?.roomMessages.message.body as string | undefined,
    };
  }

  /** Until NATS itself counts a connection of every node. */
  async function allConnected(): Promise<void> {
    for (;;) {
      const { num_connections } = (await (await fetch(`http://127.0.0.1:${monitorPort}/connz`)).json()) as {
        num_connections: number;
      };
      if (num_connections === nodes.length) return;
      await pause(20);
    }
  }

  test('all of them serve, and every migration ran once', async () => {
    for (const { url, stderr } of nodes) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(stderr()).toBe('');
    }
    const { rows } = await control.query(
      'select count(*)::int as ran, count(distinct hash)::int as different from drizzle.__drizzle_migrations',
    );
    const known = await knownMigrations();
    expect(rows).toEqual([{ ran: known, different: known }]);
  });

  test('a message sent to one node arrives at the others once and in order, with NATS, without, and with it again', async () => {
    const [a, b, c] = nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
    const { wallet, orgId } = await owner(a);
    await send(a, wallet, orgId, 'the first');
    const followers = [follow(b, wallet, orgId), follow(c, wallet, orgId)];
    const arrives = async (body: string) => {
      for (const follower of followers) expect(await follower.next()).toBe(body);
    };
    await arrives('the first');
    await allConnected();
    await send(a, wallet, orgId, 'with NATS');
    await arrives('with NATS');

    await nats.stop();
    await send(a, wallet, orgId, 'without NATS');
    await arrives('without NATS');

    await startNatsAgain();
    await allConnected();
    await send(a, wallet, orgId, 'with NATS again');
    await send(b, wallet, orgId, 'the other way');
    await arrives('with NATS again');
    await arrives('the other way');
  });

  test('NATS that is killed and started again in the middle of many messages loses none, doubles none and moves none', async () => {
    const [a, b, c] = nodes as [GatewayProcess, GatewayProcess, GatewayProcess];
    const { wallet, orgId } = await owner(a);
    const raise = { limits: { writes_per_second: 1e6, writes_burst: 1e6 } };
    expect((await a.call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise })).status).toBe(200);
    await allConnected();
    const followers = [follow(a, wallet, orgId), follow(b, wallet, orgId), follow(c, wallet, orgId)];
    const [first, rest] = [40, 160];
    const sending = (async () => {
      for (let n = 0; n < first; n++) await send(nodes[n % 3]!, wallet, orgId, `${n}`);
      const faults = (async () => {
        await nats.stop();
        await startNatsAgain();
      })();
      for (let n = first; n < first + rest; n++) await send(nodes[n % 3]!, wallet, orgId, `${n}`);
      await faults;
    })();
    const numbered = Array.from({ length: first + rest }, (_, n) => `${n}`);
    for (const follower of followers) {
      const bodies = [];
      while (bodies.length < numbered.length) bodies.push(await follower.next());
      expect(bodies).toEqual(numbered);
    }
    await sending;
    await allConnected();
  });

  test('a membership that is revoked in the database ends its subscription on another node, and no other', async () => {
    const [a, b] = nodes as [GatewayProcess, GatewayProcess];
    const { wallet, orgId } = await owner(a);
    const leaver = createWallet();
    const me = await a.call<{ principal: { id: string } }>(a.as(leaver), 'GET', '/agent/v1/whoami');
    const leaverId = me.body.principal.id;
    await control.query(
      `insert into memberships (org_id, principal_id, id, role, status) values ($1, $2, gen_random_uuid(), 'developer', 'active')`,
      [orgId, leaverId],
    );
    await send(a, wallet, orgId, 'for both');
    const [staying, leaving] = [follow(b, wallet, orgId), follow(b, leaver, orgId)];
    expect([await staying.next(), await leaving.next()]).toEqual(['for both', 'for both']);

    await control.query(`update memberships set status = 'revoked' where org_id = $1 and principal_id = $2`, [
      orgId,
      leaverId,
    ]);
    const refused = await leaving.events.next();
    expect(refused.value).toMatchObject({ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] });
    expect(await leaving.events.next()).toMatchObject({ done: true });
    await send(a, wallet, orgId, 'for one');
    expect(await staying.next()).toBe('for one');
  });
});
