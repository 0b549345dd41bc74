import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { ServiceError } from '../../core/errors.ts';
import { type Database, inTransaction, type Statement } from '../../db/pool.ts';

export interface LiveLeasesOptions {
  readonly db: Database;
  readonly log: Logger;
  /** How long a node's connections count when it says nothing any more, in seconds. @default 30 */
  readonly leaseSeconds?: number;
}

/** Locks one project's count: of two that come at once, one sees the other. */
const lockText = 'select pg_advisory_xact_lock(7306014, hashtext($1))';

const takeText = `insert into live_connections (project_id, node_id, count, expires_at)
  select $1, $2, 1, now() + make_interval(secs => $4)
  where (select coalesce(sum(c.count), 0) from live_connections c
    where c.project_id = $1 and (c.node_id = $2 or c.expires_at > now())) < $3
  on conflict (project_id, node_id) do update set count = live_connections.count + 1, expires_at = excluded.expires_at`;

/** Live connections of projects, counted across nodes in the control database. */
export class LiveLeases {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #leaseSeconds: number;
  readonly #nodeId = randomBytes(12).toString('base64url');
  /** What this node holds, by project. */
  readonly #held = new Map<string, number>();
  /** What has been given back and is still counted, by project. */
  readonly #owed = new Map<string, number>();
  #renewal: NodeJS.Timeout | undefined;
  #settling: Promise<void> | undefined;
  #closed = false;

  constructor({ db, log, leaseSeconds = 30 }: LiveLeasesOptions) {
    this.#db = db;
    this.#log = log;
    this.#leaseSeconds = leaseSeconds;
  }

  /** @returns gives it back, once @throws LIVE_CONNECTION_LIMIT */
  async take(projectId: string, max: number): Promise<() => void> {
    // What was given back here a moment ago counts no more.
    if (this.#owed.has(projectId)) await this.#settle();
    const taken = await inTransaction(this.#db.pool, async (client) => {
      await client.query(lockText, [projectId]);
      const { rowCount } = await client.query(takeText, [projectId, this.#nodeId, max, this.#leaseSeconds]);
      return rowCount === 1;
    });
    if (!taken)
      throw new ServiceError('LIVE_CONNECTION_LIMIT', { retryAfter: 5, details: { limit: max, retry_after: 5 } });
    add(this.#held, projectId, 1);
    this.#renewal ??= setInterval(() => void this.#renew(), (this.#leaseSeconds * 1000) / 3).unref();
    let here = true;
    return () => {
      if (!here) return;
      here = false;
      add(this.#held, projectId, -1);
      add(this.#owed, projectId, 1);
      // Those that end together are given back together.
      setImmediate(() => void this.#settle());
    };
  }

  /** Gives everything back: connections of this node are over. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#renewal);
    await this.#settling;
    await this.#db.rows(forgetStatement, [this.#nodeId]).catch(() => undefined);
  }

  #settle(): Promise<void> {
    this.#settling ??= this.#giveBack().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #giveBack(): Promise<void> {
    const owed = [...this.#owed];
    if (owed.length === 0 || this.#closed) return;
    for (const [projectId, count] of owed) add(this.#owed, projectId, -count);
    try {
      await this.#db.rows(giveBackStatement, [
        this.#nodeId,
        owed.map(([projectId]) => projectId),
        owed.map(([, count]) => count),
      ]);
    } catch (error) {
      // The next renewal brings it up again.
      for (const [projectId, count] of owed) add(this.#owed, projectId, count);
      this.#log.warn({ err: error }, 'Live connections that ended cannot be given back yet.');
    }
  }

  async #renew(): Promise<void> {
    await this.#settle();
    const held = [...this.#held];
    if (held.length === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
      return;
    }
    try {
      await this.#db.rows(renewStatement, [
        this.#nodeId,
        this.#leaseSeconds,
        held.map(([projectId]) => projectId),
        held.map(([, count]) => count),
      ]);
    } catch (error) {
      this.#log.warn({ err: error }, 'Live connections cannot be counted at the moment.');
    }
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

const giveBackStatement: Statement = {
  name: 'live.giveBack',
  text: `update live_connections c set count = greatest(c.count - o.count, 0)
    from unnest($2::text[], $3::int[]) o (project_id, count)
    where c.project_id = o.project_id and c.node_id = $1`,
};

/** One that was away for too long may find its rows gone. */
const renewStatement: Statement = {
  name: 'live.renew',
  text: `insert into live_connections (project_id, node_id, count, expires_at)
    select h.project_id, $1, h.count, now() + make_interval(secs => $2)
      from unnest($3::text[], $4::int[]) h (project_id, count) order by h.project_id
    on conflict (project_id, node_id) do update set expires_at = excluded.expires_at`,
};

const forgetStatement: Statement = { name: 'live.forget', text: 'delete from live_connections where node_id = $1' };
