import { sql } from '../../db/drizzle.ts';
import { projectMetrics } from '../../db/schema/traffic.ts';
import { computed, type RowOf, statement, typed } from '../../db/sql.ts';
import { knownStorageOf } from '../../kernel/limits/storage.ts';
import type { Services } from '../../kernel/run/context.ts';
import { percentile } from '../../kernel/traffic/latency.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';

/** Spans of time that are shown, each with what one point of it stands for, in seconds, and how many there are. */
const spans = {
  hour: { stepSeconds: 60, points: 60 },
  day: { stepSeconds: 600, points: 144 },
  week: { stepSeconds: 3_600, points: 168 },
  month: { stepSeconds: 21_600, points: 120 },
} as const;

/** Points of the range that has most. */
export const pointsMax = Math.max(...Object.values(spans).map(({ points }) => points));

export const metricsRanges = ['hour', 'day', 'week', 'month'] as const satisfies readonly (keyof typeof spans)[];
export type MetricsRange = (typeof metricsRanges)[number];

/** How busy a project was in one step of time. */
export interface MetricsPoint {
  /** When the step began. */
  readonly at: Date;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** Time within which half of the requests were answered, in milliseconds; null without requests. */
  readonly p50Ms: number | null;
  /** The same of 95 of 100. */
  readonly p95Ms: number | null;
  /** Most connections and followers that were open at once. */
  readonly connections: number;
  /** What the database and the content took when they were last measured; null before they first were. */
  readonly storageBytes: number | null;
}

export interface ProjectMetrics {
  readonly stepSeconds: number;
  /** Oldest first; the last one is the step that is under way. */
  readonly points: readonly MetricsPoint[];
}

/** A project whose metrics are asked for. */
export type MetricsOf = Pick<ProjectRow, 'id' | 'orgId' | 'state' | 'server' | 'databaseName'>;

/**
 * How busy projects were, in the order given, in one statement. What this node counted before is written first, so that
 * a caller sees its own requests; those of other nodes show within a second or so.
 */
export async function loadMetrics(
  services: Services,
  range: MetricsRange,
  projects: readonly MetricsOf[],
): Promise<ProjectMetrics[]> {
  await services.traffic.flush();
  const { stepSeconds, points: count } = spans[range];
  const stepMs = stepSeconds * 1_000;
  const current = Math.floor(services.now().getTime() / stepMs) * stepMs;
  const since = current - (count - 1) * stepMs;
  const [rows, measured] = await Promise.all([
    services.db.rows(
      metricsStatement.with({
        orgIds: projects.map(({ orgId }) => orgId),
        ids: projects.map(({ id }) => id),
        since: new Date(since),
        stepSeconds,
      }),
    ),
    knownStorageOf(services, projects),
  ]);
  const sizes = new Map(projects.map(({ id }, at) => [id, measured[at]!]));
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  return projects.map(({ id }) => ({
    stepSeconds,
    points: pointsOf(byProject.get(id) ?? [], { since, stepMs, count, sizeNow: sizes.get(id) ?? 0 }),
  }));
}

interface Steps {
  /** When the first one begins, in milliseconds of the epoch. */
  readonly since: number;
  readonly stepMs: number;
  readonly count: number;
  /** Bytes; 0 where they are not known. */
  readonly sizeNow: number;
}

const nothing = { requests: 0, clientErrors: 0, serverErrors: 0, connections: 0, latency: [] };

/** A step without a row had no requests; its size is that of the one before. */
function pointsOf(rows: readonly StepRow[], { since, stepMs, count, sizeNow }: Steps): MetricsPoint[] {
  const byStep = new Map(rows.map((row) => [row.step, row]));
  let storageBytes = sizeOf(byStep.get(before)) ?? null;
  return Array.from({ length: count }, (_none, at) => {
    const row = byStep.get(at);
    storageBytes = sizeOf(row) ?? storageBytes;
    if (at === count - 1 && sizeNow > 0) storageBytes = sizeNow;
    const { requests, clientErrors, serverErrors, connections, latency } = row ?? nothing;
    return {
      at: new Date(since + at * stepMs),
      ...{ requests, clientErrors, serverErrors, connections },
      p50Ms: percentile(latency, 0.5),
      p95Ms: percentile(latency, 0.95),
      storageBytes,
    };
  });
}

/** The step that stands for all time before the first one. */
const before = -1;

const sizeOf = (row: StepRow | undefined) => (row?.storageBytes == null ? undefined : Number(row.storageBytes));

const stepRow = {
  projectId: computed<string>('text', sql`within.project_id`),
  step: computed<number>('integer', sql`within.step`),
  requests: computed<number>('integer', sql`sum(within.requests)::int`),
  clientErrors: computed<number>('integer', sql`sum(within.client_errors)::int`),
  serverErrors: computed<number>('integer', sql`sum(within.server_errors)::int`),
  connections: computed<number>('integer', sql`max(within.connections)`),
  latency: computed<readonly number[]>('integer[]', sql`coalesce(buckets.latency, '{}')`),
  storageBytes: computed<bigint | null>(
    'bigint',
    sql`(array_agg(within.storage_bytes order by within.starts_at desc)
      filter (where within.storage_bytes is not null))[1]`,
  ),
};
type StepRow = RowOf<typeof stepRow>;

const ofAsked = sql`${projectMetrics.orgId} = asked.org_id and ${projectMetrics.projectId} = asked.id`;

// Minutes and hours never speak of the same time: a minute is deleted by the statement that adds it to its hour.
const metricsStatement = statement(
  'traffic.metrics',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      ids: typed<readonly string[]>('text[]'),
      since: projectMetrics.startsAt,
      stepSeconds: typed<number>('integer'),
    },
    row: stepRow,
  },
  ({ orgIds, ids, since, stepSeconds }, row) => sql`with within as materialized (
      select found.* from unnest(${orgIds}::uuid[], ${ids}::text[]) as asked (org_id, id)
      cross join lateral (
        select floor(extract(epoch from ${projectMetrics.startsAt} - ${since}) / ${stepSeconds}::integer)::int as step,
          ${projectMetrics}.*
        from ${projectMetrics}
        where ${ofAsked} and ${projectMetrics.span} in ('minute', 'hour') and ${projectMetrics.startsAt} >= ${since}
        union all (
          -- The last size before the first step.
          select ${sql.raw(String(before))}, ${projectMetrics}.* from ${projectMetrics}
          where ${ofAsked} and ${projectMetrics.span} in ('minute', 'hour') and ${projectMetrics.startsAt} < ${since}
            and ${projectMetrics.storageBytes} is not null
          order by ${projectMetrics.startsAt} desc limit 1
        )
      ) found
    ), buckets as (
      select project_id, step, array_agg(count order by place) as latency from (
        select project_id, step, place, sum(count)::int as count
        from within, unnest(latency) with ordinality as bucket (count, place) where step >= 0 group by 1, 2, 3
      ) summed group by 1, 2
    )
    select ${row} from within left join buckets on buckets.project_id = within.project_id and buckets.step = within.step
    group by within.project_id, within.step, buckets.latency`,
);
