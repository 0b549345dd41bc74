import type { Logger } from 'pino';
import { sql } from '../../db/drizzle.ts';
import type { Database } from '../../db/pool.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projectUsage } from '../../db/schema/projects.ts';
import { nameOf, namesOf, statement, typed } from '../../db/sql.ts';
import { batchParams, countedBatches, onceOnly } from '../durability/counted-batches.ts';

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

type Counts = readonly (Called & { readonly calls: number })[];

export function createUsageCounter({
  db,
  log,
  everyMs = 1_000,
  projectsMax = 100_000,
}: UsageCounterOptions): UsageCounter {
  let waiting = new Map<string, Called & { calls: number }>();
  let uncounted = 0;

  function take(): Counts | undefined {
    if (uncounted > 0) log.error({ uncounted }, 'Calls of projects were not counted: too many wait to be written.');
    uncounted = 0;
    if (waiting.size === 0) return undefined;
    const counts = [...waiting.values()];
    waiting = new Map();
    return counts;
  }

  const batches = countedBatches<Counts>({
    log,
    what: 'Calls of projects',
    everyMs,
    waits: () => waiting.size > 0,
    take,
    write: async ({ node, seq, counts }) => {
      const orgIds = counts.map(({ orgId }) => orgId);
      const projectIds = counts.map(({ projectId }) => projectId);
      const calls = counts.map((one) => one.calls);
      await db.rows(addStatement.with({ node, seq, orgIds, projectIds, calls }));
    },
  });

  return {
    count({ orgId, projectId }) {
      const known = waiting.get(projectId);
      if (known !== undefined) known.calls += 1;
      else if (waiting.size < projectsMax) waiting.set(projectId, { orgId, projectId, calls: 1 });
      else uncounted += 1;
      batches.schedule();
    },
    flush: batches.flush,
    async close() {
      const unwritten = (await batches.close()) ?? [];
      const left = [...waiting.values(), ...unwritten].reduce((sum, { calls }) => sum + calls, 0);
      if (left > 0) log.error({ uncounted: left }, 'Calls of projects were not written before the server stopped.');
    },
  };
}

// Rows are written in one order everywhere, so that two nodes that count the same projects cannot wait for each other.
const { orgId, projectId, since, apiCalls } = projectUsage;

const addStatement = statement(
  'usage.add',
  {
    params: {
      ...batchParams,
      orgIds: typed<readonly string[]>('uuid[]'),
      projectIds: typed<readonly string[]>('text[]'),
      calls: typed<readonly number[]>('bigint[]'),
    },
    timeoutMs: 5_000,
  },
  ({ orgIds, projectIds, calls, ...batch }) => sql`with ${onceOnly(batch)}
    insert into ${projectUsage} (${namesOf(orgId, projectId, since, apiCalls)})
    select called.org_id, called.project_id, ${orgs.usageSince}, called.calls
    from unnest(${orgIds}::uuid[], ${projectIds}::text[], ${calls}::bigint[]) as called (org_id, project_id, calls)
    join ${orgs} on ${orgs.id} = called.org_id
    where exists (select from once)
    order by called.project_id
    on conflict (${namesOf(orgId, projectId, since)}) do update
      set ${nameOf(apiCalls)} = ${apiCalls} + excluded.${nameOf(apiCalls)}`,
);
