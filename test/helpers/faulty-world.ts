import pg from 'pg';
import type { TrialNetwork } from '../../engines/site-audit/fetch/document.ts';
import { type GatewayProcess, killGateways, startGateway, temporaryFolder } from './gateway-process.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { startPgProxy } from './pg-proxy.ts';
import { createWallet, type TestWallet } from './wallet.ts';

/**
 * A Postgres server of a test file's own with a way to it that can be broken, and gateways that are killed and started
 * again. What these tests lock and break would stand in the way of others on a shared server.
 *
 * @param settings further ones of the server
 */
export async function startFaultyWorld(settings: Readonly<Record<string, string>> = {}) {
  const postgres = await startOwnPostgres(settings);
  const { name, url } = await postgres.database();
  const proxy = await startPgProxy(url);
  const folder = await temporaryFolder();
  const control = new pg.Pool({ connectionString: url, max: 6 });
  control.on('error', () => undefined);
  const sql = async <Row extends object = Record<string, unknown>>(text: string, values: readonly unknown[] = []) =>
    (await control.query<Row & pg.QueryResultRow>(text, values as unknown[])).rows;

  return {
    postgres,
    proxy,
    /** Folder of the gateways' data. */
    dataDir: folder.path,
    /** Name of the control database. */
    name,
    /** Looks into the control database, past gateway and proxy. */
    sql,
    start: (env: Record<string, string> = {}, trial?: TrialNetwork): Promise<GatewayProcess> =>
      startGateway({ databaseUrl: proxy.url, dataDir: folder.path, env, trial }),

    /** A wallet with an organization of its own. */
    async owner(gateway: GatewayProcess): Promise<{ readonly wallet: TestWallet; readonly orgId: string }> {
      const wallet = createWallet();
      const { status, body, text } = await gateway.call<{ org_id: string }>(gateway.as(wallet), 'POST', '/orgs/v1', {
        body: {},
      });
      if (status !== 201) throw new Error(text);
      return { wallet, orgId: body.org_id };
    },

    /** Runs statements in a transaction that stays open, and with it their locks, until it is let go. */
    async hold(text: string, values: readonly unknown[] = []): Promise<() => Promise<void>> {
      const client = await control.connect();
      await client.query('begin');
      await client.query(text, values as unknown[]);
      return async () => {
        await client.query('rollback');
        client.release();
      };
    },

    /** Resolves once a statement of a gateway waits for a lock. */
    async blocked(text: RegExp): Promise<void> {
      for (;;) {
        const { rows } = await postgres.admin.query<{ query: string }>(
          `select query from pg_stat_activity where wait_event_type = 'Lock' and application_name like 'svc-gateway%'`,
        );
        if (rows.some(({ query }) => text.test(query))) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },

    async stop() {
      await killGateways();
      await proxy.close();
      await control.end();
      await postgres.stop();
      await folder.remove();
    },
  };
}

/** Sends a request until its idempotency key is no longer at work elsewhere. */
export async function persist<Answer extends { readonly status: number; readonly body: unknown }>(
  send: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409 || (answer.body as { code?: string }).code !== 'IDEMPOTENCY_IN_PROGRESS') return answer;
  }
}
