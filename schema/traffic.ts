import type { ProjectRequest } from '../db/schema/traffic.ts';
import type { ProjectRow } from '../resolvers/projects/shared/wire.ts';
import { getMetrics } from '../resolvers/traffic/get-metrics.ts';
import { durationMs, listRequests, type RequestPage } from '../resolvers/traffic/list-requests.ts';
import {
  loadMetrics,
  type MetricsPoint,
  type MetricsRange,
  type ProjectMetrics,
  pointsMax,
} from '../resolvers/traffic/load-metrics.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf, type PageArgs } from './connection.ts';
import { lengthOfList } from './engine/cost.ts';
import { loaderOf } from './loader.ts';
import { fieldOf, inputsOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const MetricsRangeEnum = builder.enumType('MetricsRange', {
  description: 'How far back metrics go.',
  values: {
    HOUR: { value: 'hour', description: 'An hour, by the minute.' },
    DAY: { value: 'day', description: 'A day, by ten minutes.' },
    WEEK: { value: 'week', description: 'A week, by the hour.' },
    MONTH: { value: 'month', description: 'Thirty days, by six hours.' },
  } as const,
});

const MetricsPointRef = builder.objectRef<MetricsPoint>('ProjectMetricsPoint').implement({
  description: 'How busy a project was in one step of time.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the step began.' }),
    requests: t.exposeFloat('requests', { description: 'Requests that were answered.' }),
    clientErrors: t.exposeFloat('clientErrors', { description: 'Those with a status from 400 to 499.' }),
    serverErrors: t.exposeFloat('serverErrors', { description: 'Those with a status from 500.' }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description: 'Time within which half of them were answered, in milliseconds; null without requests.',
    }),
    p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: 'The same of 95 of 100.' }),
    connections: t.exposeInt('connections', {
      description: 'Most connections to its database and followers of its changes that were open at once.',
    }),
    storageBytes: t.exposeFloat('storageBytes', {
      nullable: true,
      description:
        'Bytes that its database and its content took when they were last measured; null before they first were.',
    }),
  }),
});

const ProjectMetricsRef = builder.objectRef<ProjectMetrics>('ProjectMetrics').implement({
  description: 'How busy a project was over time.',
  fields: (t) => ({
    stepSeconds: t.exposeInt('stepSeconds', { description: 'Seconds that each point stands for.' }),
    points: t.expose('points', {
      type: [MetricsPointRef],
      extensions: lengthOfList(pointsMax),
      description: 'Steps of time that follow each other, oldest first; the last one is under way.',
    }),
  }),
});

/** Projects whose metrics one statement adds up: a day of one may be 1,440 minutes of 21 buckets. */
const loadedTogether = 20;

/** Metrics of several projects, {@link loadedTogether} by a statement. */
const metricsOf = {
  hour: loaderFor('hour'),
  day: loaderFor('day'),
  week: loaderFor('week'),
  month: loaderFor('month'),
};

function loaderFor(range: MetricsRange) {
  return loaderOf(
    (ctx, projects: readonly ProjectRow[]) => loadMetrics(ctx.services, range, projects),
    ({ id }) => id,
    { maxBatchSize: loadedTogether },
  );
}

const shown = inputsOf(getMetrics, { omit: ['project'], types: { range: MetricsRangeEnum } });

builder.objectField(ProjectRef, 'metrics', (t) =>
  t.field({
    type: ProjectMetricsRef,
    ...fieldOf(getMetrics),
    args: shown.args,
    resolve: (project, args, ctx) => metricsOf[shown.read(args).range ?? 'day'](ctx).load(project),
  }),
);

const RequestStatusEnum = builder.enumType('ProjectRequestStatus', {
  description: 'A class of status that requests are answered with.',
  values: {
    SUCCESS: { value: '2xx', description: 'From 200 to 299.' },
    REDIRECTION: { value: '3xx', description: 'From 300 to 399.' },
    CLIENT_ERROR: { value: '4xx', description: 'From 400 to 499.' },
    SERVER_ERROR: { value: '5xx', description: 'From 500 to 599.' },
  } as const,
});

const ProjectRequestRef = builder.objectRef<ProjectRequest>('ProjectRequest').implement({
  description: 'A request that a project was sent. Neither a query string nor a credential is kept of it.',
  fields: (t) => ({
    seq: t.string({
      description: 'Tells requests apart, where several have one id: those of one trace.',
      resolve: ({ seq }) => String(seq),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When its answer began.' }),
    requestId: t.exposeString('requestId', { description: 'The `trace_id` of its answer, `trc_…`.' }),
    causedBy: t.exposeString('causedBy', {
      nullable: true,
      description: 'The request or run that a function answered as it sent this one: `req_…`, `fnrun_…` or `job_…`.',
    }),
    method: t.exposeString('method', { description: 'Method of HTTP; `WS` for what came through a socket.' }),
    route: t.exposeString('route', { description: 'Pattern of its path, for example `/rest/v1/:table`.' }),
    path: t.exposeString('path', { description: 'Its path, without what guards something.' }),
    status: t.exposeInt('status', {
      description: 'Status of its answer; in GraphQL the one that its first error has elsewhere.',
    }),
    durationMs: t.float({
      description: 'Milliseconds from its arrival to the beginning of its answer.',
      resolve: durationMs,
    }),
    code: t.exposeString('code', { nullable: true, description: 'Code of its refusal.' }),
    caller: t.exposeString('caller', {
      nullable: true,
      description:
        'As what its client called: `anon`, `authenticated`, `service`, `member`, `guest`, `delegate` or `admin`; null for one that was not let in.',
    }),
    bytes: t.exposeInt('bytes', { nullable: true, description: 'Length of the answer’s body; null for a stream.' }),
  }),
});

/** A page that remembers how many requests the log leaves out. */
const toConnection = (page: RequestPage, args: PageArgs) => ({ ...listConnection(page, args), leftOut: page.leftOut });

const ProjectRequestEdge = builder.edgeObject({ type: ProjectRequestRef, name: 'ProjectRequestConnectionEdge' });

const ProjectRequestConnection = builder
  .objectRef<ReturnType<typeof toConnection>>('ProjectRequestConnection')
  .implement({
    description: 'A page of a project’s requests.',
    fields: (t) => ({
      edges: t.expose('edges', { type: [ProjectRequestEdge], description: 'The rows of the page.' }),
      pageInfo: t.expose('pageInfo', {
        type: builder.pageInfoRef(),
        description: 'Where the page ends, and whether there is more.',
      }),
      leftOut: t.exposeFloat('leftOut', {
        description: 'Requests of the time that is asked for, or of the last day, that the log leaves out.',
      }),
    }),
  });

const wanted = inputsOf(listRequests, {
  omit: ['project', 'limit', 'after', 'before', 'from_end'],
  types: { status: RequestStatusEnum },
});

builder.objectField(ProjectRef, 'requests', (t) =>
  t.field({
    type: ProjectRequestConnection,
    nullable: true,
    ...fieldOf(listRequests),
    args: { ...pageArgs, ...wanted.args },
    resolve: async ({ id }, args, ctx) => {
      const asked = { project: id, ...wanted.read(args), ...listWindowOf(args) };
      return toConnection(await run(listRequests, ctx, asked, wanted.names), args);
    },
  }),
);
