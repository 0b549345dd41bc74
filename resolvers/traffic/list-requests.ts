import { z } from 'zod';
import { requestIdOf } from '../../core/tracing.ts';
import { sql } from '../../db/drizzle.ts';
import { type ProjectRequest, projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { allOf, computed, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { moment, projectId } from '../../kernel/input/fields.ts';
import { type ListPage, listsBy, listWindow, pageToWire } from '../../kernel/input/list-page.ts';
import { requireTimeRange } from '../../kernel/input/time-range.ts';
import { query } from '../../kernel/run/operation.ts';
import { soughtRequest } from '../../kernel/run/request-id.ts';
import { trafficActions } from './shared/actions.ts';

/** Requests of a project on a page of its log. */
export interface RequestPage extends ListPage<ProjectRequest> {
  /** Requests since `since`, or of the last day, that the log leaves out. */
  readonly leftOut: number;
}

/** Classes of status, each with its first one. */
const statusClasses = { '2xx': 200, '3xx': 300, '4xx': 400, '5xx': 500 } as const;
export const statusClassNames = ['2xx', '3xx', '4xx', '5xx'] as const;

/** `GET /projects/v1/:project_id/requests`. */
export const listRequests = query({
  name: 'projects.listRequests',
  tool: 'list_project_requests',
  command: 'projects requests',
  summary: 'The latest requests of a project, newest first, of the last seven days.',
  path: 'GET /projects/v1/:project_id/requests',
  access: onProject(trafficActions['project:logs:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    request_id: soughtRequest.describe(
      'Only the request whose answer carried this `trace_id`, `trc_…`, and what functions sent as they answered it; or what they sent as they answered `req_…`, `fnrun_…` or `job_…`.',
    ),
    status: z.enum(statusClassNames).optional().describe('Only answers of this class of status, such as `5xx`.'),
    method: z
      .string()
      .regex(/^[A-Za-z]{1,16}$/, 'must be a method of HTTP, or WS')
      .toUpperCase()
      .optional()
      .describe('Only this method of HTTP; `WS` is for what came through a socket.'),
    path: z.string().min(1).max(512, 'at most 512 characters').optional().describe('Only paths that begin like this.'),
    since: moment.optional().describe('Only requests from then on.'),
    until: moment.optional().describe('Only requests before then.'),
    ...listWindow,
  }),
  async handler({ services, org, project }, { project: _named, ...asked }): Promise<RequestPage> {
    const { request_id, status, method, path, since, until, ...window } = asked;
    requireTimeRange({ since, until });
    await services.traffic.flush();
    const view = [org.id, project.id, request_id, status, method, path, since, until];
    const list = requestLists.newestFirst(services.keys, `requests:${JSON.stringify(view.map((one) => one ?? null))}`);
    const listed = list.statementOf(window, listStatements).with({
      orgId: org.id,
      projectId: project.id,
      requestId: request_id ?? null,
      cause: request_id === undefined ? null : requestIdOf(request_id),
      statusFrom: status === undefined ? 100 : statusClasses[status],
      statusBelow: status === undefined ? 600 : statusClasses[status] + 100,
      method: method ?? null,
      path: path ?? null,
      since: since ?? null,
      until: until ?? null,
      ...list.positionOf(window),
      limit: window.limit + 1,
    });
    const [rows, [counted]] = await Promise.all([
      services.db.rows(listed),
      services.db.rows(
        leftOutStatement.with({ orgId: org.id, projectId: project.id, since: since ?? null, until: until ?? null }),
      ),
    ]);
    return { ...list.pageOf<ProjectRequest>(rows, window), leftOut: counted!.leftOut };
  },
  wire: z.object({
    requests: z.array(
      z
        .object({
          seq: z.string(),
          at: z.iso.datetime(),
          request_id: z.string(),
          caused_by: z.string().nullable(),
          method: z.string(),
          route: z.string(),
          path: z.string(),
          status: z.number().int(),
          duration_ms: z.number(),
          code: z.string().nullable(),
          caller: z.string().nullable(),
          bytes: z.number().nullable(),
        })
        .meta({ id: 'ProjectRequest' }),
    ),
    left_out: z.number(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({
    requests: page.rows.map(({ row }) => ({
      seq: String(row.seq),
      at: row.at.toISOString(),
      request_id: row.requestId,
      caused_by: row.causedBy,
      method: row.method,
      route: row.route,
      path: row.path,
      status: row.status,
      duration_ms: durationMs(row),
      code: row.code,
      caller: row.caller,
      bytes: row.bytes,
    })),
    left_out: page.leftOut,
    ...pageToWire(page),
  }),
});

/** From the arrival of a request to the beginning of its answer, in milliseconds. */
export const durationMs = ({ durationUs }: Pick<ProjectRequest, 'durationUs'>): number => durationUs / 1_000;

const requestLists = listsBy({
  columns: ['at', 'seq'],
  first: { type: 'timestamp with time zone', below: '-infinity', above: 'infinity' },
  of: ({ at, seq }: ProjectRequest) => [at.toISOString(), String(seq)],
});

const ofProject = { orgId: typed<string>('uuid'), projectId: typed<string>('text') };

// A project has some thousand rows at most, which its key finds: no filter needs an index of its own.
const listStatements = requestLists.bothWays(projectRequests, (way) =>
  statement(
    `traffic.requests-${way.name}`,
    {
      params: {
        ...ofProject,
        requestId: typed<string | null>('text'),
        cause: typed<string | null>('text'),
        statusFrom: typed<number>('integer'),
        statusBelow: typed<number>('integer'),
        method: typed<string | null>('text'),
        path: typed<string | null>('text'),
        since: typed<Date | null>('timestamp with time zone'),
        until: typed<Date | null>('timestamp with time zone'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: allOf(projectRequests),
    },
    (
      {
        orgId,
        projectId: project,
        requestId,
        cause,
        statusFrom,
        statusBelow,
        method,
        path,
        since,
        until,
        limit,
        ...at
      },
      row,
    ) =>
      sql`select ${row} from ${projectRequests}
      where ${projectRequests.orgId} = ${orgId} and ${projectRequests.projectId} = ${project}
        and (${requestId}::text is null or ${projectRequests.requestId} = ${requestId} or ${projectRequests.causedBy} = ${cause})
        and ${projectRequests.status} >= ${statusFrom} and ${projectRequests.status} < ${statusBelow}
        and (${method}::text is null or ${projectRequests.method} = ${method})
        and (${path}::text is null or starts_with(${projectRequests.path}, ${path}))
        and ${projectRequests.at} >= coalesce(${since}::timestamptz, '-infinity')
        and ${projectRequests.at} < coalesce(${until}::timestamptz, 'infinity')
        and ${way.beyond(at)} ${way.order} limit ${limit}`,
  ),
);

const leftOutStatement = statement(
  'traffic.left-out',
  {
    params: {
      ...ofProject,
      since: typed<Date | null>('timestamp with time zone'),
      until: typed<Date | null>('timestamp with time zone'),
    },
    row: { leftOut: computed<number>('double precision', sql`coalesce(sum(${projectMetrics.unlogged}), 0)::float8`) },
  },
  ({ orgId, projectId: project, since, until }, row) => sql`select ${row} from ${projectMetrics}
    where ${projectMetrics.orgId} = ${orgId} and ${projectMetrics.projectId} = ${project}
      and ${projectMetrics.span} in ('minute', 'hour')
      and ${projectMetrics.startsAt} >= date_trunc('minute', coalesce(${since}::timestamptz, now() - interval '1 day'), 'UTC')
      and ${projectMetrics.startsAt} < coalesce(${until}::timestamptz, 'infinity')`,
);
