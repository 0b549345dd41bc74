import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { natsProgram } from '../../scripts/lane-programs.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { type GatewayProcess, startGateway, temporaryFolder } from '../helpers/gateway-process.ts';
import { startHoldingSmtp } from '../helpers/holding-smtp.ts';
import { type NatsServer, startNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';

// Two gateways in processes of their own. The one that has a page in hand is killed, and the other one has been running
// all along: no start frees anything, its own sweep has to.

// `apt-get install nats-server`
describe.skipIf(natsProgram() === undefined)('two nodes that page', () => {
  let world: Awaited<ReturnType<typeof startFaultyWorld>>;
  let smtp: Awaited<ReturnType<typeof startHoldingSmtp>>;
  let nats: NatsServer;
  let nodes: GatewayProcess[];
  const cleanups: (() => unknown)[] = [];

  async function startNode(): Promise<GatewayProcess> {
    const folder = await temporaryFolder();
    cleanups.push(folder.remove);
    return startGateway({
      databaseUrl: world.proxy.url,
      dataDir: folder.path,
      env: {
        NATS_URL: nats.url,
        SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        MAIL_FROM: 'svc <no-reply@example.com>',
      },
    });
  }

  beforeAll(async () => {
    smtp = await startHoldingSmtp();
    cleanups.push(() => smtp.stop());
    world = await startFaultyWorld();
    cleanups.push(() => world.stop());
    nats = await startNats();
    cleanups.push(() => nats.stop());
    nodes = [await startNode(), await startNode()];
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  let orgs = 0;

  /** An organization whose lowest level is one contact, and the next one another. */
  async function staffed(node: GatewayProcess) {
    const { wallet, orgId } = await world.owner(node);
    const [low, high] = [`low${++orgs}@example.com`, `high${orgs}@example.com`];
    for (const [at, email] of [low, high].entries()) {
      const body = { email, level: at + 1 };
      const added = await node.call(node.as(wallet), 'POST', `/orgs/v1/${orgId}/escalation-contacts`, { body });
      expect(added.status).toBe(201);
    }
    const raise = async () => {
      const answer = await node.call<{ escalation_id: string }>(
        node.as(wallet),
        'POST',
        `/orgs/v1/${orgId}/escalations`,
        { body: { reason: 'look' } },
      );
      expect(answer.status).toBe(201);
      return answer.body.escalation_id;
    };
    return { orgId, low, high, raise };
  }

  /** Which node has something in hand: the other one takes no jobs meanwhile, so that it is known. */
  async function alone<Result>(act: (one: GatewayProcess, other: () => Promise<GatewayProcess>) => Promise<Result>) {
    const [one, other] = nodes as [GatewayProcess, GatewayProcess];
    await other.stop();
    let late: GatewayProcess | undefined;
    const result = await act(one, async () => (late ??= await startNode()));
    nodes = [late!, await startNode()];
    return result;
  }

  /** As if the minute had passed after which a node that says nothing is taken for gone. */
  async function letAMinutePass(): Promise<void> {
    await world.sql(
      `update graphile_worker._private_jobs set locked_at = locked_at - interval '2 minutes' where locked_at is not null`,
    );
    await world.sql(`update mail_outbox set lease_until = now() - interval '1 second' where lease_until is not null`);
    await world.sql(`select graphile_worker.add_job('sweep-escalations')`);
  }

  const settled = (orgId: string, waves: number) =>
    until(async () => {
      const [state] = await world.sql(
        `select (select max(waves) from escalations where org_id = $1) as waves,
            (select count(*)::int from mail_outbox where org_id = $1 and state <> 'sent') as unsent`,
        [orgId],
      );
      expect(state).toEqual({ waves, unsent: 0 });
    });
  const reached = (email: string) => smtp.taken.filter(({ to }) => to === email);

  test.each([1, 2])('a page in the hand of a node that is killed is sent once by the other (kill %i)', async () => {
    await alone(async (one, other) => {
      const { orgId, low, high, raise } = await staffed(one);
      const held = smtp.hold();
      await raise();
      await held;
      const survivor = await other();
      await one.kill();
      smtp.takeAgain();
      await letAMinutePass();
      await settled(orgId, 1);
      expect(survivor.running()).toBe(true);
      expect([reached(low).length, reached(high).length]).toEqual([1, 0]);
      const attempts = await world.sql(
        `select a.attempt, a.status from escalation_attempts a where a.org_id = $1 and a.status = 'delivered'`,
        [orgId],
      );
      expect(attempts).toHaveLength(1);
    });
  });

  test('a deadline that lapses in the hand of a node that is killed pages the next level once, by the other', async () => {
    await alone(async (one, other) => {
      const { orgId, low, high, raise } = await staffed(one);
      const id = await raise();
      await settled(orgId, 1);
      // The step waits for the row of its organization until its node is gone, and its statement with it.
      const release = await world.hold('select from orgs where id = $1 for update', [orgId]);
      await world.sql(`update escalations set due_at = now() - interval '1 second' where id = $1`, [id]);
      await world.sql(`select graphile_worker.add_job('sweep-escalations', job_key => 'escalation:' || $1::text)`, [
        id,
      ]);
      await world.blocked(/display_name/);
      await other();
      const waiting = await world.sql<{ pid: number }>(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%display_name%'`,
      );
      await one.kill();
      await world.postgres.admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [
        waiting.map(({ pid }) => pid),
      ]);
      await release();
      await letAMinutePass();
      await settled(orgId, 2);
      expect([reached(low).length, reached(high).length]).toEqual([1, 1]);
      const [{ climbs }] = (await world.sql('select climbs from escalations where id = $1', [id])) as [
        { climbs: unknown[] },
      ];
      expect(climbs).toHaveLength(1);
    });
  });

  test('both nodes are killed one after the other, and the page is still sent once', async () => {
    const [one, other] = nodes as [GatewayProcess, GatewayProcess];
    const { orgId, low, raise } = await staffed(one);
    for (const node of [one, other]) {
      const held = smtp.hold();
      if (node === one) await raise();
      else await letAMinutePass();
      await held;
    }
    // Whoever has it in hand by now, neither will say what became of it.
    await one.kill();
    await other.kill();
    smtp.takeAgain();
    nodes = [await startNode(), await startNode()];
    await letAMinutePass();
    await settled(orgId, 1);
    expect(new Set(reached(low).map(({ messageId }) => messageId)).size).toBe(1);
    expect(reached(low)).toHaveLength(1);
  });
});
