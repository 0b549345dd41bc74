import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { functionInvocations } from '../../db/schema/errors.ts';
import { computed, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { emptyHistogram, type Histogram, percentile } from '../../kernel/traffic/latency.ts';
import { functionActions } from './shared/actions.ts';
import { ofFunction } from './shared/of-function.ts';

/** Spans of time that are shown: what counts are read by, what one point stands for, in seconds, and how many there are. */
const spans = {
  hour: { by: 'minute', stepSeconds: 60, points: 60 },
  day: { by: 'hour', stepSeconds: 3_600, points: 24 },
  week: { by: 'hour', stepSeconds: 3_600, points: 168 },
  month: { by: 'hour', stepSeconds: 21_600, points: 120 },
} as const;

/** Points of the range that has most. */
export const functionPointsMax = Math.max(...Object.values(spans).map(({ points }) => points));

/** How functions did in some time. */
export interface FunctionFigures {
  readonly calls: number;
  /** Calls that failed, or were answered with 500 and above. */
  readonly errors: number;
  /** Time within which half of the calls ended, in milliseconds; null where none did. */
  readonly p50Ms: number | null;
  /** The same of 95 of 100. */
  readonly p95Ms: number | null;
}

export interface FunctionMetrics {
  readonly stepSeconds: number;
  /** Of all that is asked for together, oldest first; the last step is under way. */
  readonly points: readonly (FunctionFigures & { readonly at: Date })[];
  /** Of each function that was called, over the whole time. */
  readonly functions: readonly (FunctionFigures & { readonly name: string })[];
}

const figures = {
  calls: z.number(),
  errors: z.number(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
};

const toFiguresWire = ({ calls, errors, p50Ms, p95Ms }: FunctionFigures) => ({
  calls,
  errors,
  p50_ms: p50Ms,
  p95_ms: p95Ms,
});

/** `GET /projects/v1/:project_id/function-metrics`. */
export const getFunctionMetrics = query({
  name: 'functions.getMetrics',
  tool: 'get_function_metrics',
  command: 'functions metrics',
  summary: 'How often functions were called, how often they failed and how long they took, over time.',
  path: 'GET /projects/v1/:project_id/function-metrics',
  access: onProject(functionActions['project:functions:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    name: ofFunction.optional().describe('The function: all of them unless told.'),
    range: z
      .enum(['hour', 'day', 'week', 'month'])
      .default('day')
      .describe(
        'How far back: an `hour` by the minute, a `day` or a `week` by the hour, or a `month`; a day unless told.',
      ),
  }),
  async handler({ services, org, project }, { name = null, range }): Promise<FunctionMetrics> {
    // Calls that this node has not written yet count as well.
    await services.functions.flush();
    const { by, stepSeconds, points: count } = spans[range];
    const stepMs = stepSeconds * 1_000;
    const since = (Math.floor(services.now().getTime() / stepMs) - count + 1) * stepMs;
    const rows = await services.db.rows(
      metricsStatement.with({
        orgId: org.id,
        projectId: project.id,
        span: by,
        startsAt: new Date(since),
        function: name,
        stepSeconds,
      }),
    );
    const byStep = new Map(rows.map((row) => [row.step, row]));
    return {
      stepSeconds,
      points: Array.from({ length: count }, (_none, at) => ({
        at: new Date(since + at * stepMs),
        ...figuresOf(byStep.get(at)),
      })),
      functions: rows.flatMap((row) => (row.function === null ? [] : [{ name: row.function, ...figuresOf(row) }])),
    };
  },
  wire: z.object({
    step_seconds: z.int(),
    points: z.array(z.object({ at: z.iso.datetime(), ...figures }).meta({ id: 'FunctionMetricsPoint' })),
    functions: z.array(z.object({ name: z.string(), ...figures }).meta({ id: 'FunctionTotals' })),
  }),
  toWire: ({ stepSeconds, points, functions }) => ({
    step_seconds: stepSeconds,
    points: points.map((point) => ({ at: point.at.toISOString(), ...toFiguresWire(point) })),
    functions: functions.map((one) => ({ name: one.name, ...toFiguresWire(one) })),
  }),
});

const nothing = { calls: 0, errors: 0, latency: emptyHistogram() };

function figuresOf({ calls, errors, latency }: Pick<MetricsRow, 'calls' | 'errors' | 'latency'> = nothing) {
  return { calls, errors, p50Ms: percentile(latency, 0.5), p95Ms: percentile(latency, 0.95) };
}

const metricsRow = {
  /** Null where the row is of a function. */
  step: computed<number | null>('integer', sql`counted.step`),
  /** Null where the row is of a step. */
  function: computed<string | null>('text', sql`counted.function`),
  calls: computed<number>('double precision', sql`counted.calls`),
  errors: computed<number>('double precision', sql`counted.errors`),
  latency: computed<Histogram>('integer[]', sql`coalesce(measured.latency, '{}')`),
};
type MetricsRow = RowOf<typeof metricsRow>;

const grouped = sql`group by grouping sets ((step), (function))`;

// One row for each step, and one for each function: what is read of a month are its hours.
const metricsStatement = statement(
  'functions.metrics',
  {
    params: {
      ...pick(functionInvocations, 'orgId', 'projectId', 'span', 'startsAt'),
      function: typed<string | null>('text'),
      stepSeconds: typed<number>('integer'),
    },
    row: metricsRow,
  },
  (given, row) => sql`with within as materialized (
      select floor(extract(epoch from ${functionInvocations.startsAt} - ${given.startsAt}) / ${given.stepSeconds}::integer)::int as step,
        ${functionInvocations.function} as function, ${functionInvocations.count} as count,
        ${functionInvocations.failed} as failed, ${functionInvocations.latency} as latency
      from ${functionInvocations}
      where ${functionInvocations.orgId} = ${given.orgId} and ${functionInvocations.projectId} = ${given.projectId}
        and ${functionInvocations.span} = ${given.span} and ${functionInvocations.startsAt} >= ${given.startsAt}
        and (${given.function}::text is null or ${functionInvocations.function} = ${given.function})
    ), counted as (
      select step, function, sum(count)::float8 as calls, sum(failed)::float8 as errors from within ${grouped}
    ), measured as (
      select step, function, array_agg(calls order by place) as latency from (
        select step, function, place, sum(calls)::int as calls
        from within, unnest(latency) with ordinality as bucket (calls, place)
        group by grouping sets ((step, place), (function, place))
      ) buckets group by step, function
    )
    select ${row} from counted
    left join measured on measured.step is not distinct from counted.step
      and measured.function is not distinct from counted.function
    order by counted.function collate "C", counted.step`,
);
