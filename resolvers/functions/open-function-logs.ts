import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { functionLogs } from '../../db/schema/functions.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor, projectId, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { ofCall, ofStream, refuseUnknown } from './get-function-logs.ts';
import { type FunctionLine, logFeed } from './log-feed.ts';
import { functionActions } from './shared/actions.ts';
import { ofFunction } from './shared/of-function.ts';

/** What a subscription begins with: the right to read the lines, and where they begin. */
export const openFunctionLogs = query({
  name: 'functions.openLogs',
  command: 'functions logs --follow',
  sdk: 'follow',
  follows: ['functionLogs'],
  summary: 'Begin to follow what a function prints.',
  access: onProject(functionActions['project:functions:read'], ({ project }: { project: string }) => project),
  input: z.object({
    project: projectId,
    name: ofFunction,
    request_id: ofCall,
    stream: ofStream,
    tail: wholeNumberFrom(0, 1_000)
      .default(50)
      .describe('With how many of the newest lines it begins without a cursor: 50 unless told, at most 1000.'),
    cursor: cursor.optional(),
  }),
  async handler(
    { services, org, project },
    { name, request_id: requestId = null, stream = null, tail, cursor: after },
  ): Promise<Opened<FunctionLine>> {
    const owner = { orgId: org.id, projectId: project.id };
    await refuseUnknown(services, owner, name);
    // Lines that this node has not written yet were printed before.
    await services.functions.flush();
    const opened = await openFeed(services, logFeed(org.id, project.id), after);
    if (after !== undefined) return opened;
    if (tail === 0) return { ...opened, position: opened.head };
    const given = { ...owner, function: name, requestId, stream, skipped: tail };
    const [before] = await services.db.rows(beforeTailStatement.with(given));
    return { ...opened, position: before?.position ?? opened.position };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});

/** The line behind which so many of the newest ones come. */
const beforeTailStatement = statement(
  'functions.before-tail',
  {
    params: {
      ...pick(functionLogs, 'orgId', 'projectId', 'function'),
      requestId: typed<string | null>('text'),
      stream: typed<string | null>('text'),
      skipped: typed<number>('bigint'),
    },
    row: pick(functionLogs, 'position'),
  },
  (given, row) => sql`select ${row} from ${functionLogs}
    where ${functionLogs.orgId} = ${given.orgId} and ${functionLogs.projectId} = ${given.projectId}
      and ${functionLogs.function} = ${given.function}
      and (${given.requestId}::text is null or ${functionLogs.requestId} = ${given.requestId})
      and (${given.stream}::text is null or ${functionLogs.stream} = ${given.stream})
    order by ${functionLogs.position} desc offset ${given.skipped} limit 1`,
);
