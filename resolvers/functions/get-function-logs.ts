import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { functionLogs, releaseFunctions } from '../../db/schema/functions.ts';
import { liveReleases } from '../../db/schema/releases.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { since } from '../../kernel/input/since.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { lineColumns } from './log-feed.ts';
import { functionActions } from './shared/actions.ts';
import { ofFunction } from './shared/of-function.ts';

const tailMax = 1_000;

/** The call whose lines are wanted. */
export const ofCall = z
  .string()
  .regex(/^(req|fnrun|fnatt|job)_[A-Za-z0-9_-]{4,128}$/, 'must be an id such as req_…, fnrun_…, fnatt_… or job_…')
  .optional()
  .describe('Only lines of one call: `req_…`, as the answer’s X-Svc-Request-Id says it.');

/** How many lines are wanted. */
export const tailInput = wholeNumberFrom(1, tailMax)
  .default(50)
  .describe('How many lines, the newest: 50 unless told, at most 1000.');

/** What lines are of. */
export const ofStream = z
  .enum(['stdout', 'stderr'])
  .optional()
  .describe('Only lines of one kind: `stderr` has what `console.error` and `console.warn` print.');

/** `GET /projects/v1/admin/:project_id/functions/:name/logs`. Contract 03, section 3.4. */
export const getFunctionLogs = query({
  name: 'functions.logs',
  tool: 'get_function_logs',
  command: 'functions logs',
  summary: 'What a function of a project has printed in the last 14 days, oldest first.',
  path: 'GET /projects/v1/admin/:project_id/functions/:name/logs',
  access: onProject(functionActions['project:functions:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    name: ofFunction,
    tail: tailInput,
    since: since
      .optional()
      .describe('Only lines from then on: milliseconds since 1970, or ISO 8601 with a zone.')
      .meta({ examples: ['2026-03-06T00:00:00Z'] }),
    request_id: ofCall,
    stream: ofStream,
  }),
  async handler(
    { services, org, project },
    { name, tail, since: from = null, request_id: requestId = null, stream = null },
  ) {
    // Lines that this node has not written yet belong to it as well.
    await services.functions.flush();
    const owner = { orgId: org.id, projectId: project.id };
    const lines = await services.db.rows(
      tailStatement.with({ ...owner, function: name, tail, since: from, requestId, stream }),
    );
    if (lines.length === 0) await refuseUnknown(services, owner, name);
    return lines;
  },
  wire: z.object({
    logs: z.array(
      z
        .object({
          timestamp: z.iso.datetime(),
          message: z.string(),
          event_id: z.string().describe('Tells lines apart; later ones have higher numbers.'),
          log_stream_name: z.string().describe('The release that printed it.'),
          stream: z.enum(['stdout', 'stderr']),
          origin: z.literal('app'),
          request_id: z.string().optional(),
        })
        .meta({ id: 'FunctionLogLine' }),
    ),
  }),
  toWire: (lines) => ({
    logs: lines.map(({ position, releaseId, requestId, stream, message, at }) => ({
      timestamp: at.toISOString(),
      message,
      event_id: String(position),
      log_stream_name: releaseId,
      stream,
      origin: 'app' as const,
      ...(requestId === null ? {} : { request_id: requestId }),
    })),
  }),
});

/** @throws FUNCTION_NOT_FOUND when the live release has no such function, and no line of one is kept */
export async function refuseUnknown(
  { db }: Pick<Services, 'db'>,
  owner: { readonly orgId: string; readonly projectId: string },
  name: string,
): Promise<void> {
  if ((await db.rows(knownStatement.with({ ...owner, name }))).length === 0)
    throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
}

const tailStatement = statement(
  'functions.tail',
  {
    params: {
      ...pick(functionLogs, 'orgId', 'projectId', 'function'),
      tail: typed<number>('bigint'),
      since: typed<Date | null>('timestamp with time zone'),
      requestId: typed<string | null>('text'),
      stream: typed<string | null>('text'),
    },
    row: lineColumns,
  },
  (given, row) => sql`select ${row} from (select * from ${functionLogs}
      where ${functionLogs.orgId} = ${given.orgId} and ${functionLogs.projectId} = ${given.projectId}
        and ${functionLogs.function} = ${given.function}
        and (${given.since}::timestamptz is null or ${functionLogs.at} >= ${given.since})
        and (${given.requestId}::text is null or ${functionLogs.requestId} = ${given.requestId})
        and (${given.stream}::text is null or ${functionLogs.stream} = ${given.stream})
      order by ${functionLogs.at} desc, ${functionLogs.position} desc limit ${given.tail}) as ${functionLogs}
    order by ${functionLogs.at}, ${functionLogs.position}`,
);

const knownStatement = statement(
  'functions.known',
  { params: pick(releaseFunctions, 'orgId', 'projectId', 'name'), row: { name: computed<string>('text', sql`name`) } },
  (given, row) => sql`select ${row} from (select ${releaseFunctions.name} as name from ${liveReleases}
    join ${releaseFunctions} on ${releaseFunctions.orgId} = ${liveReleases.orgId}
      and ${releaseFunctions.projectId} = ${liveReleases.projectId} and ${releaseFunctions.releaseId} = ${liveReleases.releaseId}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}
      and ${releaseFunctions.name} = ${given.name}
    union all (select ${functionLogs.function} from ${functionLogs}
      where ${functionLogs.orgId} = ${given.orgId} and ${functionLogs.projectId} = ${given.projectId}
        and ${functionLogs.function} = ${given.name} limit 1)) as known limit 1`,
);
