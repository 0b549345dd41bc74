import type pg from 'pg';
import { z } from 'zod';
import type { NodeLock } from '../db/node-lock.ts';
import type { AiEngine } from '../engines/ai/ai-engine.ts';
import { networks } from '../engines/x402/networks.ts';
import type { PaymentProcessor } from '../engines/x402/payment-processor.ts';
import type { PathDoc } from '../rest-compat/openapi/path-doc.ts';

/** How long a check is believed, in milliseconds. Contract 00, section 6.4. */
const believedMs = 10_000;
/** How long any check may take, in milliseconds: each gives up by itself before, and what says nothing is down. */
const patienceMs = 2_500;

/** `unconfigured`: nothing of it was set up, so that nothing of it can be down. */
const Check = z.enum(['ok', 'down', 'unconfigured']);
type CheckState = z.infer<typeof Check>;

const { name: network, caip2, chainId, usdc } = networks.base;
const asset = { symbol: 'USDC', address: usdc.address, decimals: usdc.decimals };

/** The body of `GET /api/health`. Contract 00, section 6.4. */
const HealthWire = z
  .object({
    ok: z.literal(true),
    status: z.enum(['ok', 'degraded']),
    service: z.string(),
    version: z.string(),
    runtime: z.object({
      node: z.string(),
      platform: z.string(),
      uptime_s: z.int(),
      started_at: z.iso.datetime(),
    }),
    settlement: z.object({
      network: z.string(),
      caip2: z.string(),
      chain_id: z.int(),
      pay_to: z.string(),
      asset: z.object({ symbol: z.string(), address: z.string(), decimals: z.int() }),
      mode: z.enum(['self', 'facilitator', 'unavailable']),
    }),
    checks: z.object({ database: Check, rpc: Check, facilitator: Check }),
  })
  .meta({ id: 'Health' });

export const healthDoc: PathDoc = {
  method: 'GET',
  path: '/api/health',
  summary: 'Whether the gateway serves, and where payments to it go.',
  answer: HealthWire,
  doc: {
    examples: {
      answer: {
        ok: true,
        status: 'ok',
        service: 'svc-gateway',
        version: '5.0.0',
        runtime: { node: 'v22.23.2', platform: 'linux', uptime_s: 3_600, started_at: '2026-11-22T07:00:00.000Z' },
        settlement: {
          network: 'base',
          caip2: 'eip155:8453',
          chain_id: 8453,
          pay_to: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
          asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
          mode: 'self',
        },
        checks: { database: 'ok', rpc: 'ok', facilitator: 'ok' },
      },
    },
  },
};

export interface Health {
  /** The body of `GET /api/health`. */
  readonly report: () => Promise<z.infer<typeof HealthWire>>;
  /** What `GET /status` and `GET /health` are made from. */
  readonly standing: () => Promise<HealthStatus>;
  /** Whether the server can serve right now; asked anew each time. */
  readonly ready: () => Promise<boolean>;
  /** From now on the server is not ready: it drains. */
  readonly drain: () => void;
  /** Aborted from then on. */
  readonly draining: AbortSignal;
}

export interface HealthOptions {
  /** Leads to the control database by a connection of its own, since callers may keep those of the pool busy. */
  readonly pool: Pick<pg.Pool, 'query'>;
  /** While it is lost another node may serve this database, and the two would not hear each other. */
  readonly nodeLock: Pick<NodeLock, 'held'>;
  readonly version: string;
  /** The wallet that payments go to, in the mixed case of EIP-55. */
  readonly payTo: () => Promise<string>;
  /** What takes payments. */
  readonly paymentProcessor: Pick<PaymentProcessor, 'mode' | 'health'>;
  /** Models that are asked over the network. */
  readonly ai: Pick<AiEngine, 'health'>;
  readonly now: () => Date;
}

/** How the gateway is doing. */
export interface HealthStatus {
  readonly checks: Checks;
  /** Whether this node has its place at the database, and goes on. */
  readonly node: 'ok' | 'draining' | 'displaced';
  /** Whether anything that was set up is down, or the node is not well. */
  readonly isDegraded: boolean;
  /** Of this process. */
  readonly uptimeSeconds: number;
  readonly takesPayments: boolean;
}

type Checks = Readonly<Record<'database' | 'rpc' | 'facilitator' | 'ai', CheckState>>;

export function createHealth(options: HealthOptions): Health {
  const { pool, nodeLock, version, payTo, paymentProcessor, ai, now } = options;
  const startedAt = now();
  const startedMs = performance.now();
  const drain = new AbortController();
  let address: Promise<string> | undefined;
  let known: { readonly checks: Promise<Checks>; readonly at: number } | undefined;

  const checkDatabase = (): Promise<CheckState> =>
    inTime(
      pool.query('select 1').then(() => 'ok' as const),
      'down' as const,
    );

  async function check(): Promise<Checks> {
    const [database, paid, models] = await Promise.all([
      checkDatabase(),
      inTime(paymentProcessor.health(), { rpc: 'down', facilitator: 'down' } as const),
      inTime(ai.health(), false),
    ]);
    return { database, ...paid, ai: models === undefined ? 'unconfigured' : models ? 'ok' : 'down' };
  }

  /** All who ask at once wait for one look. */
  const look = (): Promise<Checks> => {
    if (known === undefined || performance.now() - known.at > believedMs)
      known = { checks: check(), at: performance.now() };
    return known.checks;
  };

  const uptimeSeconds = (): number => Math.floor((performance.now() - startedMs) / 1000);

  return {
    async standing() {
      const checks = await look();
      const node = drain.signal.aborted ? 'draining' : nodeLock.held() ? 'ok' : 'displaced';
      return {
        checks,
        node,
        isDegraded: Object.values(checks).includes('down') || node !== 'ok',
        uptimeSeconds: uptimeSeconds(),
        takesPayments: paymentProcessor.mode !== 'unavailable',
      };
    },
    async report() {
      // What the audit gateway sells needs no model.
      const { ai: _ai, ...checks } = await look();
      const isDown = Object.values(checks).includes('down') || drain.signal.aborted;
      return {
        ok: true,
        status: isDown ? 'degraded' : 'ok',
        service: 'svc-gateway',
        version,
        runtime: {
          node: process.version,
          platform: process.platform,
          uptime_s: uptimeSeconds(),
          started_at: startedAt.toISOString(),
        },
        settlement: {
          network,
          caip2,
          chain_id: chainId,
          pay_to: await (address ??= payTo()),
          asset,
          mode: paymentProcessor.mode,
        },
        checks,
      };
    },
    ready: async () => !drain.signal.aborted && nodeLock.held() && (await checkDatabase()) === 'ok',
    drain: () => drain.abort(),
    draining: drain.signal,
  };
}

/** What a check says, or what it means that it failed or said nothing in time. */
async function inTime<State, Otherwise>(checked: Promise<State>, otherwise: Otherwise): Promise<State | Otherwise> {
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<Otherwise>((resolve) => {
    patience = setTimeout(resolve, patienceMs, otherwise).unref();
  });
  try {
    return await Promise.race([checked.catch(() => otherwise), late]);
  } finally {
    clearTimeout(patience);
  }
}
