import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { ServiceError } from '../../core/errors.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type Database, inTransaction } from '../../db/pool.ts';
import { liveConnections } from '../../db/schema/live.ts';
import { excluded, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { rowsOn } from '../../db/transaction.ts';

export interface LiveLeasesOptions {
  readonly db: Database;
  readonly log: Logger;
  /** How long a node's connections count when it says nothing any more, in seconds. @default 30 */
  readonly leaseSeconds?: number;
}

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
    // A lease that was just given back no longer counts.
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
        const rows = rowsOn(client);
        await rows(lockStatement.with({ projectId }));
        const given = { projectId, nodeId: this.#nodeId, max, leaseSeconds: this.#leaseSeconds };
        return (await rows(takeStatement.with(given))).length === 1;
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
    await this.#db.rows(forgetStatement.with({ nodeId: this.#nodeId })).catch(() => undefined);
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
      const leases = { nodeId: this.#nodeId, leaseSeconds: this.#leaseSeconds };
      await this.#db.rows(setStatement.with({ ...leases, projectIds, counts }));
    } catch (error) {
      // The next renewal sets the leases that are held, and finds no others.
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

/** Locks one project's count: of two that come at once, one sees the other. */
const lockStatement = statement(
  'live.lockCount',
  { params: pick(liveConnections, 'projectId') },
  ({ projectId }) => sql`select from pg_advisory_xact_lock(7306014, hashtext(${projectId}))`,
);

const keyOfCount = namesOf(liveConnections.projectId, liveConnections.nodeId);
const countColumns = namesOf(
  liveConnections.projectId,
  liveConnections.nodeId,
  liveConnections.count,
  liveConnections.expiresAt,
);
const leaseSeconds = typed<number>('double precision');
const leasedFor = (seconds: SQL): SQL => sql`now() + make_interval(secs => ${seconds})`;

const takeStatement = statement(
  'live.take',
  {
    params: { ...pick(liveConnections, 'projectId', 'nodeId'), max: typed<number>('bigint'), leaseSeconds },
    row: pick(liveConnections, 'count'),
  },
  (given, row) => sql`insert into ${liveConnections} (${countColumns})
    select ${given.projectId}, ${given.nodeId}, 1, ${leasedFor(given.leaseSeconds)}
    where (select coalesce(sum(${liveConnections.count}), 0) from ${liveConnections}
      where ${liveConnections.projectId} = ${given.projectId}
        and (${liveConnections.nodeId} = ${given.nodeId} or ${liveConnections.expiresAt} > now())) < ${given.max}
    on conflict (${keyOfCount}) do update ${setOf(liveConnections, {
      count: sql`${liveConnections.count} + 1`,
      expiresAt: excluded(liveConnections.expiresAt),
    })} returning ${row}`,
);

/** Rows of this node alone: those of a project are not taken meanwhile. One that was away for long finds them gone. */
const setStatement = statement(
  'live.setCounts',
  {
    params: {
      nodeId: liveConnections.nodeId,
      leaseSeconds,
      projectIds: typed<readonly string[]>('text[]'),
      counts: typed<readonly number[]>('integer[]'),
    },
  },
  (given) => sql`insert into ${liveConnections} (${countColumns})
    select h.project_id, ${given.nodeId}, h.count, ${leasedFor(given.leaseSeconds)}
      from unnest(${given.projectIds}::text[], ${given.counts}::int[]) h (project_id, count) order by h.project_id
    on conflict (${keyOfCount}) do update ${setOf(liveConnections, {
      count: excluded(liveConnections.count),
      expiresAt: excluded(liveConnections.expiresAt),
    })}`,
);

const forgetStatement = statement(
  'live.forget',
  { params: pick(liveConnections, 'nodeId') },
  ({ nodeId }) => sql`delete from ${liveConnections} where ${liveConnections.nodeId} = ${nodeId}`,
);
