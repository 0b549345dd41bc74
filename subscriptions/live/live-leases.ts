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
  /** Takes under way, by project: whether they are counted is known once they are over. */
  readonly #taking = new Map<string, Set<Promise<unknown>>>();
  /** Projects whose count has to be set to what is held. */
  readonly #owed = new Set<string>();
  /** Those whose count is being set: no lease is taken meanwhile. */
  #setting: readonly string[] = [];
  /** Projects of which nothing is held and for which that could not be said. */
  readonly #unset = new Set<string>();
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
    while (!this.#closed && (this.#owed.has(projectId) || this.#setting.includes(projectId))) await this.#settle();
    const taking = this.#taking.get(projectId) ?? new Set();
    this.#taking.set(projectId, taking);
    const take = this.#take(projectId, max).finally(() => {
      taking.delete(take);
      if (taking.size === 0) this.#taking.delete(projectId);
    });
    taking.add(take);
    if (!(await take))
      throw new ServiceError('LIVE_CONNECTION_LIMIT', { retryAfter: 5, details: { limit: max, retry_after: 5 } });
    this.#renewal ??= setInterval(() => void this.#renew(), (this.#leaseSeconds * 1000) / 3).unref();
    let here = true;
    return () => {
      if (!here) return;
      here = false;
      add(this.#held, projectId, -1);
      this.#owe(projectId);
    };
  }

  async #take(projectId: string, max: number): Promise<boolean> {
    try {
      const taken = await inTransaction(this.#db.pool, async (client) => {
        await client.query(lockText, [projectId]);
        const { rowCount } = await client.query(takeText, [projectId, this.#nodeId, max, this.#leaseSeconds]);
        return rowCount === 1;
      });
      if (taken) add(this.#held, projectId, 1);
      return taken;
    } catch (error) {
      // It may be counted all the same.
      this.#owe(projectId);
      throw error;
    }
  }

  /** Gives everything back: connections of this node are over. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#renewal);
    await this.#settling;
    await this.#db.rows(forgetStatement, [this.#nodeId]).catch(() => undefined);
  }

  #owe(projectId: string): void {
    this.#owed.add(projectId);
    // Those that end together are given back together.
    setImmediate(() => void this.#settle());
  }

  #settle(): Promise<void> {
    this.#settling ??= this.#setCounts().finally(() => {
      this.#setting = [];
      this.#settling = undefined;
    });
    return this.#settling;
  }

  /** Counts what is held, whatever was counted before: what ended is given back, and what went wrong is put right. */
  async #setCounts(): Promise<void> {
    if (this.#owed.size === 0 || this.#closed) return;
    const projectIds = [...this.#owed];
    this.#owed.clear();
    this.#setting = projectIds;
    await Promise.allSettled(projectIds.flatMap((projectId) => [...(this.#taking.get(projectId) ?? [])]));
    const counts = projectIds.map((projectId) => this.#held.get(projectId) ?? 0);
    try {
      await this.#db.rows(setStatement, [this.#nodeId, this.#leaseSeconds, projectIds, counts]);
    } catch (error) {
      // What is held is set by the next renewal; what is not is found there no more.
      for (const projectId of projectIds) if (!this.#held.has(projectId)) this.#unset.add(projectId);
      this.#log.warn({ err: error }, 'Live connections cannot be counted at the moment.');
    }
  }

  async #renew(): Promise<void> {
    for (const projectId of [...this.#held.keys(), ...this.#unset]) this.#owed.add(projectId);
    this.#unset.clear();
    if (this.#owed.size > 0) return this.#settle();
    clearInterval(this.#renewal);
    this.#renewal = undefined;
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Rows of this node alone: those of a project are not taken meanwhile. One that was away for long finds them gone. */
const setStatement: Statement = {
  name: 'live.setCounts',
  text: `insert into live_connections (project_id, node_id, count, expires_at)
    select h.project_id, $1, h.count, now() + make_interval(secs => $2)
      from unnest($3::text[], $4::int[]) h (project_id, count) order by h.project_id
    on conflict (project_id, node_id) do update set count = excluded.count, expires_at = excluded.expires_at`,
};

const forgetStatement: Statement = { name: 'live.forget', text: 'delete from live_connections where node_id = $1' };
