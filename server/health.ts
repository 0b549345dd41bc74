import type { NodeLock } from '../db/node-lock.ts';
import { createPool } from '../db/pool.ts';

/** How long a check is believed, in milliseconds. Contract 00, section 6.4. */
const believedMs = 10_000;
const checkMs = 2_000;

/** USDC on Base: what settlements are made in. */
const settlement = {
  network: 'base',
  caip2: 'eip155:8453',
  chain_id: 8453,
  pay_to: null,
  asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
  mode: 'unavailable',
} as const;

export interface Health {
  /** The body of `GET /api/health`. */
  readonly report: () => Promise<Record<string, unknown>>;
  /** Whether the server can serve right now; asked anew each time. */
  readonly ready: () => Promise<boolean>;
  /** From now on the server is not ready: it drains. */
  readonly drain: () => void;
  /** Aborted from then on. */
  readonly draining: AbortSignal;
  /** Closes its connection. */
  readonly close: () => Promise<void>;
}

export interface HealthOptions {
  /** The control database; looked at on a connection of its own, since callers may keep those of the pool busy. */
  readonly databaseUrl: string;
  /** While it is lost another node may serve this database, and the two would not hear each other. */
  readonly nodeLock: Pick<NodeLock, 'held'>;
  readonly version: string;
}

export function createHealth({ databaseUrl, nodeLock, version }: HealthOptions): Health {
  const startedAt = new Date();
  const pool = createPool({
    url: databaseUrl,
    max: 1,
    waitMs: checkMs,
    statementMs: checkMs,
    name: 'svc-gateway health',
  });
  const drain = new AbortController();
  let known: { readonly database: 'ok' | 'down'; readonly at: number } | undefined;

  async function checkDatabase(): Promise<'ok' | 'down'> {
    const timeout = new Promise<'down'>((resolve) => setTimeout(resolve, checkMs, 'down').unref());
    const look = pool.query('select 1').then(
      () => 'ok' as const,
      () => 'down' as const,
    );
    return Promise.race([look, timeout]);
  }

  return {
    async report() {
      if (known === undefined || performance.now() - known.at > believedMs) {
        known = { database: await checkDatabase(), at: performance.now() };
      }
      const { database } = known;
      return {
        ok: true,
        status: database === 'ok' && !drain.signal.aborted ? 'ok' : 'degraded',
        service: 'svc-gateway',
        version,
        runtime: {
          node: process.version,
          platform: process.platform,
          uptime_s: Math.floor((Date.now() - startedAt.getTime()) / 1000),
          started_at: startedAt.toISOString(),
        },
        settlement,
        checks: { database, rpc: 'unconfigured', facilitator: 'unconfigured' },
      };
    },
    ready: async () => !drain.signal.aborted && nodeLock.held() && (await checkDatabase()) === 'ok',
    drain: () => drain.abort(),
    draining: drain.signal,
    close: () => pool.end(),
  };
}
