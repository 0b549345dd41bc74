import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlState } from './pool.ts';

/** Session lock that a gateway holds as long as it serves a control database. */
const nodeLock = 7_306_004;
/** Longest pause between two tries to get a lost lock back, in milliseconds. */
const retryMsMax = 5_000;

/** SQLSTATE of a lock that did not come in time. */
const lockNotAvailable = '55P03';

export interface NodeLockOptions {
  /** Control database. A transaction pooler in between would lose the lock. */
  readonly url: string;
  /** Several nodes serve the database, and signals travel between them (`NATS_URL`). */
  readonly shared: boolean;
  readonly log: {
    readonly info: (facts: Record<string, unknown>, message: string) => void;
    readonly error: (facts: Record<string, unknown>, message: string) => void;
  };
  /** How long to wait for a node that is just draining, in milliseconds. @default 10_000 */
  readonly waitMs?: number;
}

export interface NodeLock {
  /** No other gateway serves this database: what looks abandoned is. */
  readonly alone: boolean;
  /** False while the connection is away, until the lock is back. */
  readonly held: () => boolean;
  /** Gives the lock back; idempotent. */
  readonly release: () => Promise<void>;
}

/** Another gateway serves the control database in a way that excludes this one. */
export class NodeLockError extends Error {
  override readonly name = 'NodeLockError';
}

/**
 * Takes this node's place at a control database, on a connection of its own: nodes without `NATS_URL` would not hear
 * each other's signals, so one of them serves alone. When the connection breaks, the lock is taken again behind the
 * scenes.
 *
 * @throws NodeLockError after `waitMs` while another node excludes this one
 */
export async function acquireNodeLock({ url, shared, log, waitMs = 10_000 }: NodeLockOptions): Promise<NodeLock> {
  const stopping = new AbortController();
  let client: pg.Client | undefined;
  let held = false;
  let recovery: Promise<void> | undefined;

  const close = async (broken: pg.Client) => {
    broken.removeAllListeners('end');
    await broken.end().catch(() => undefined);
  };

  async function take(patienceMs: number): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'svc-gateway node',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    // Without a listener a connection that breaks would end the process; `end` follows and is what counts.
    next.on('error', () => undefined);
    try {
      await next.connect();
      // A node whose machine vanished is found out by the server in seconds, not in hours.
      await next.query('set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3');
      await next.query(`set lock_timeout = ${Math.max(1, Math.floor(patienceMs))}`);
      await next.query(`select pg_advisory_lock${shared ? '_shared' : ''}($1)`, [nodeLock]);
    } catch (error) {
      await close(next);
      throw error;
    }
    client = next;
    held = true;
    next.once('end', () => {
      held = false;
      if (!stopping.signal.aborted) recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    log.info({}, 'The connection that holds this node’s lock broke; taking the lock again.');
    for (let pause = 250; !stopping.signal.aborted; pause = Math.min(pause * 2, retryMsMax)) {
      try {
        await take(1_000);
        if (stopping.signal.aborted) return;
        log.info({}, 'This node holds its lock again.');
        return;
      } catch (error) {
        if (sqlState(error) === lockNotAvailable) log.error({}, explain(shared));
      }
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  try {
    await take(waitMs);
  } catch (error) {
    if (sqlState(error) === lockNotAvailable) throw new NodeLockError(explain(shared));
    throw error;
  }
  return {
    alone: !shared,
    held: () => held,
    release: async () => {
      stopping.abort();
      await recovery;
      held = false;
      if (client !== undefined) await close(client);
      client = undefined;
    },
  };
}

const explain = (shared: boolean) =>
  shared
    ? 'A gateway without NATS_URL serves this database; set NATS_URL on every node, or stop that one.'
    : 'Another gateway serves this database; stop it, or set NATS_URL (and one SVC_SECRET_KEY) on every node to run several.';
