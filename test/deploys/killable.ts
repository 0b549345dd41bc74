import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { send } from '../content/upload.ts';
import type { Actor } from '../helpers/actors.ts';
import { startBalancer } from '../helpers/balancer.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { admin, createWallet, type GatewayProcess } from '../helpers/gateway-process.ts';
import type { Answer, Service } from '../helpers/service.ts';
import { deploying } from './deploying.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** The transactions in which a deploy writes where it stands, by the statement that they have in common. */
export const settles = /update "deploy_operations" set "status" = coalesce/;

/** How often that is while a deploy with a migration goes well: two for each phase, but for the gate and the end. */
export const settlesOfDeploy = 11;

/**
 * Repeats a request until a gateway answers it. A gateway that is gone breaks the connection; one that cannot work says
 * that the request may be repeated.
 */
export async function through<Given extends { readonly status: number; readonly body: Any }>(
  ask: () => Promise<Given>,
): Promise<Given> {
  for (;;) {
    try {
      const answer = await ask();
      if (answer.status !== 503) return answer;
      expect(answer.body).toMatchObject({ retryable: true, safe_to_retry: true });
    } catch (error) {
      // What `fetch` says of a connection that was broken or refused.
      if (!(error instanceof TypeError)) throw error;
    }
    await pause(20);
  }
}

/**
 * Gateways behind an address that outlives them, on a Postgres of their own, with a project that has a table `ledger`:
 * each migration of a test adds a row to it, and adds a second one if it is run again.
 */
export async function startKillable({ nodes = 'one' }: { readonly nodes?: 'one' | 'several' } = {}) {
  const world = await startFaultyWorld();
  const balancer = await startBalancer();
  const wallet = createWallet();
  const actor: Actor = {
    headers: async (path) => ({ 'sign-in-with-x': await wallet.header({ baseUrl: balancer.url, path }) }),
  };
  // Nothing listens there: several nodes go by what the database says, and none is woken by another.
  const shared = nodes === 'one' ? {} : { NATS_URL: 'nats://127.0.0.1:9' };
  const running = new Map<GatewayProcess, string>();
  const spread = () => balancer.spreadOver([...running.values()]);

  /** Starts one more gateway, which requests go to in turn. */
  async function start(): Promise<GatewayProcess> {
    // It names the address of them all as its own, so that where it is has to be known before.
    const port = await freePort();
    const gateway = await world.start({ PUBLIC_BASE_URL: balancer.url, PORT: String(port), ...shared });
    running.set(gateway, `http://127.0.0.1:${port}`);
    spread();
    return gateway;
  }

  /** Ends one without warning. */
  async function kill(gateway: GatewayProcess): Promise<void> {
    running.delete(gateway);
    if (running.size > 0) spread();
    await gateway.kill();
  }

  async function once<Body>(
    as: Actor,
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Answer<Body>> {
    const response = await fetch(balancer.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(await as.headers(path.split('?')[0]!)), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
      text,
    };
  }
  const call: Service['call'] = (as, method, path, { body, headers = {} } = {}) =>
    through(() => once<Any>(as, method, path, body as object | undefined, headers));
  const sending: typeof send = (url, bytes, checksum) => through(() => send(url, bytes, checksum));

  const first = await start();
  const { body: org } = await call<{ org_id: string }>(actor, 'POST', '/orgs/v1', { body: {} });
  await call(admin, 'POST', `/orgs/v1/admin/${org.org_id}/limits`, {
    body: { limits: { reads_per_second: 1e6, reads_burst: 1e6, writes_per_second: 1e6, writes_burst: 1e6 } },
  });
  const { body: made } = await call<Record<string, string>>(actor, 'POST', '/projects/v1', {
    body: { org_id: org.org_id },
  });
  const project = { projectId: made.project_id!, anonKey: made.anon_key!, serviceKey: made.service_key! };
  const [row] = await world.sql<{ public_id: string; database_name: string }>(
    'select public_id, database_name from projects where id = $1',
    [project.projectId],
  );
  const { host, port, user, password } = world.postgres.admin;
  const data = new pg.Pool({ host, port, user, password, database: row!.database_name, max: 2 });
  data.on('error', () => undefined);
  const mine = deploying({ call }, actor, project, sending);
  const migration = (id: string, sql: string, more: object = {}) => ({ id, sql, ...more });
  await mine.deploy({ database: { migrations: [migration('ledger', 'create table ledger (entry int)')] } });

  return {
    ...world,
    mine,
    actor,
    projectId: project.projectId,
    /** Of the site that is live. */
    host: `p-${row!.public_id}.localhost`,
    address: balancer.url,
    first,
    start,
    kill,
    /** Asks once, whatever becomes of it. */
    once: (method: string, path: string, body?: object) => once<Any>(actor, method, path, body, {}),
    /** A migration that adds a row to the ledger. */
    entry: (number: number, more: object = {}) =>
      migration(`entry-${number}`, `insert into ledger values (${number})`, more),
    /** The rows of the ledger, in their order. */
    ledger: async (): Promise<number[]> => {
      const { rows } = await data.query<{ entry: number }>('select entry from public.ledger order by entry');
      return rows.map(({ entry }) => entry);
    },
    /** Keeps whatever writes to the ledger waiting. */
    async holdLedger(): Promise<() => Promise<void>> {
      const client = await data.connect();
      await client.query('begin');
      await client.query('lock table public.ledger in exclusive mode');
      return async () => {
        await client.query('rollback');
        client.release();
      };
    },
    /**
     * Resolves once Postgres has carried out so many transactions that write where a deploy stands, and the gateway does
     * not know of the last one.
     */
    async afterSettles(count: number) {
      let commit = world.proxy.freezeCommit(settles);
      for (let at = 1; at < count; at += 1) {
        const next = world.proxy.freezeCommit(settles);
        await commit.answered;
        commit.thaw();
        commit = next;
      }
      await commit.answered;
      return commit;
    },
    /** What a killed gateway held is held for longer than any test waits. */
    holdLeases: () =>
      world.sql(`update deploy_operations set lease_until = now() + interval '1 hour' where lease_until is not null`),
    /** Jobs and leases wait for seconds; a test need not. */
    async hurry(): Promise<void> {
      await world.sql(
        `update deploy_operations set lease_until = now() - interval '1 second' where lease_until is not null`,
      );
      await world.sql('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
    },
    async stop() {
      await balancer.close();
      await data.end();
      await world.stop();
    },
  };
}
