import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { sql } from '../../db/drizzle.ts';
import type { Database } from '../../db/pool.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projectUsage, usageFlushes } from '../../db/schema/projects.ts';
import { nameOf, namesOf, statement, typed } from '../../db/sql.ts';

/** A project that was called with one of its own keys. */
interface Called {
  readonly orgId: string;
  readonly projectId: string;
}

/**
 * Counts what projects are called, each call once: in memory, and about once a second in the database. What a process
 * counted in its last moment is lost when it is killed, and at no other time.
 */
export interface UsageCounter {
  /** Notes a call. Never waits, never throws. */
  count(project: Called): void;
  /** Resolves when what was counted here before is written, or when it cannot be written now. Never throws. */
  flush(): Promise<void>;
  /** Writes what is left. Nothing may be counted after. */
  close(): Promise<void>;
}

export interface UsageCounterOptions {
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
  /** How long a call may go unwritten, in milliseconds. @default 1_000 */
  readonly everyMs?: number;
  /** Projects with calls that are not written yet; those beyond are not counted. @default 100_000 */
  readonly projectsMax?: number;
}

/** Counts under one number: however often they are sent, they are added once. */
interface Batch {
  readonly seq: number;
  readonly counts: readonly (Called & { readonly calls: number })[];
}

export function createUsageCounter({
  db,
  log,
  everyMs = 1_000,
  projectsMax = 100_000,
}: UsageCounterOptions): UsageCounter {
  /** Names this process among those that count. */
  const node = randomBytes(12).toString('hex');
  let waiting = new Map<string, Called & { calls: number }>();
  /** Taken from `waiting`, and not known to be written. */
  let sending: Batch | undefined;
  let seq = 0;
  let uncounted = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let closed = false;

  function schedule(): void {
    if (timer !== undefined || closed || (waiting.size === 0 && sending === undefined)) return;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, everyMs).unref();
  }

  function takeBatch(): Batch | undefined {
    if (waiting.size === 0) return undefined;
    const counts = [...waiting.values()];
    waiting = new Map();
    seq += 1;
    return { seq, counts };
  }

  async function write(): Promise<void> {
    try {
      for (;;) {
        sending ??= takeBatch();
        if (sending === undefined) break;
        const { counts } = sending;
        await db.rows(
          addStatement.with({
            node,
            seq: BigInt(sending.seq),
            orgIds: counts.map(({ orgId }) => orgId),
            projectIds: counts.map(({ projectId }) => projectId),
            calls: counts.map(({ calls }) => calls),
          }),
        );
        sending = undefined;
      }
      if (failing) log.info('Calls of projects are written again.');
      failing = false;
    } catch (error) {
      // The batch is kept: whether it was written or not, sending it again adds it once.
      if (!failing) log.warn({ err: error }, 'Calls of projects cannot be written; trying again.');
      failing = true;
    }
    if (uncounted > 0) log.error({ uncounted }, 'Calls of projects were not counted: too many wait to be written.');
    uncounted = 0;
  }

  function start(): Promise<void> {
    running = write().finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  }

  function flush(): Promise<void> {
    if (running === undefined) return start();
    // What is under way may have begun before the caller's calls were counted.
    next ??= running.then(() => {
      next = undefined;
      return running ?? start();
    });
    return next;
  }

  return {
    count({ orgId, projectId }) {
      const known = waiting.get(projectId);
      if (known !== undefined) known.calls += 1;
      else if (waiting.size < projectsMax) waiting.set(projectId, { orgId, projectId, calls: 1 });
      else uncounted += 1;
      schedule();
    },
    flush,
    async close() {
      closed = true;
      clearTimeout(timer);
      await flush();
      const left = [...waiting.values(), ...(sending?.counts ?? [])].reduce((sum, { calls }) => sum + calls, 0);
      if (left > 0) log.error({ uncounted: left }, 'Calls of projects were not written before the server stopped.');
    },
  };
}

// The number goes up once for each batch, so a batch that is sent again finds it taken and adds nothing. Rows are
// written in one order everywhere, so that two nodes that count the same projects cannot wait for each other.
const { orgId, projectId, since, apiCalls } = projectUsage;

const addStatement = statement(
  'usage.add',
  {
    params: {
      node: usageFlushes.node,
      seq: usageFlushes.seq,
      orgIds: typed<readonly string[]>('uuid[]'),
      projectIds: typed<readonly string[]>('text[]'),
      calls: typed<readonly number[]>('bigint[]'),
    },
    timeoutMs: 5_000,
  },
  ({ node, seq, orgIds, projectIds, calls }) => sql`with once as (
      insert into ${usageFlushes} (${namesOf(usageFlushes.node, usageFlushes.seq)}) values (${node}, ${seq})
      on conflict (${nameOf(usageFlushes.node)}) do update
        set ${nameOf(usageFlushes.seq)} = excluded.${nameOf(usageFlushes.seq)}, ${nameOf(usageFlushes.flushedAt)} = now()
        where ${usageFlushes.seq} < excluded.${nameOf(usageFlushes.seq)}
      returning 1
    )
    insert into ${projectUsage} (${namesOf(orgId, projectId, since, apiCalls)})
    select called.org_id, called.project_id, ${orgs.usageSince}, called.calls
    from unnest(${orgIds}::uuid[], ${projectIds}::text[], ${calls}::bigint[]) as called (org_id, project_id, calls)
    join ${orgs} on ${orgs.id} = called.org_id
    where exists (select from once)
    order by called.project_id
    on conflict (${namesOf(orgId, projectId, since)}) do update
      set ${nameOf(apiCalls)} = ${apiCalls} + excluded.${nameOf(apiCalls)}`,
);
