import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { feedChanges } from '../../../db/schema/changes.ts';
import { functionRuns, runStatuses } from '../../../db/schema/function-runs.ts';
import { functionLogs } from '../../../db/schema/functions.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { onProjectOf, type Sought } from '../../../kernel/access/on-project-of.ts';
import type { ChangeRow } from '../../../kernel/feeds/changes.ts';
import { type Opened, openFeed } from '../../../kernel/feeds/open-feed.ts';
import { cursor, wholeNumberFrom } from '../../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../../kernel/input/list-page.ts';
import { since } from '../../../kernel/input/since.ts';
import { query } from '../../../kernel/run/operation.ts';
import { getFunctionLogs, tailInput } from '../get-function-logs.ts';
import { lineColumns } from '../log-feed.ts';
import { functionActions } from '../shared/actions.ts';
import { ofFunction } from '../shared/of-function.ts';
import { itsProject } from './create-run.ts';
import {
  type FunctionRun,
  findRunStatement,
  type RunChange,
  RunHandleWire,
  runColumns,
  runFeed,
  runToWire,
} from './run-row.ts';

export const runId = z.string().min(1).max(64).describe('The run, `fnrun_…`.');

export const soughtRun: Sought = {
  find: (id) => findRunStatement.with({ id }),
  absent: (id) => new ServiceError('function_run_not_found', { details: { run_id: id } }),
};

const ofRun = ({ run }: { readonly run: string }): string => run;

const onRun = onProjectOf(functionActions['project:functions:read'], soughtRun, ofRun);

/** `GET /functions/v1/runs/:run_id`. Contract 03, section 3.6. */
export const getFunctionRun = query({
  name: 'functions.getRun',
  tool: 'get_function_run',
  command: 'functions runs get',
  summary: 'How a run of a function stands, and what its latest attempt came to.',
  access: onRun,
  input: z.object({ run: runId }),
  handler: async ({ services }, { run }): Promise<FunctionRun> => {
    const [found] = await services.db.rows(findRunStatement.with({ id: run }));
    if (found === undefined) throw soughtRun.absent(run);
    return found;
  },
  wire: RunHandleWire,
  toWire: (run) => runToWire(run),
});

/** `GET /functions/v1/:name/runs`. Contract 03, section 3.6. */
export const listFunctionRuns = query({
  name: 'functions.listRuns',
  tool: 'list_function_runs',
  command: 'functions runs list',
  summary: 'The runs of a function, newest first: those under way, and those that ended in the last 30 days.',
  access: onNamedOrOwnProject(functionActions['project:functions:read']),
  input: z.object({
    project: itsProject,
    name: ofFunction,
    status: z.enum(runStatuses).optional().describe('Only runs of this status.'),
    event_type: z.string().min(1).max(128).optional().describe('Only runs of this type of event.'),
    since: since.optional().describe('Only runs made from then on: milliseconds since 1970, or ISO 8601 with a zone.'),
    until: since.optional().describe('Only runs made before then: milliseconds since 1970, or ISO 8601 with a zone.'),
    ...listWindow,
    limit: wholeNumberFrom(1, 100).default(20).describe('Runs per page: 20 unless told, at most 100.'),
  }),
  async handler(
    { services, project },
    { name, status = null, event_type: eventType = null, since: from = null, until = null, project: _named, ...window },
  ): Promise<ListPage<FunctionRun>> {
    const list = newestFirst(services.keys, `runs:${project.id}:${name}`);
    const given = {
      projectId: project.id,
      function: name,
      status,
      eventType,
      since: from,
      until,
      ...list.positionOf(window, 'cursor'),
      limit: window.limit + 1,
    };
    return list.pageOf(await services.db.rows(list.statementOf(window, listStatements).with(given)), window);
  },
  wire: z.object({ runs: z.array(RunHandleWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ runs: page.rows.map(({ row }) => runToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(functionRuns, (way) =>
  statement(
    `runs.list-${way.name}`,
    {
      params: {
        ...pick(functionRuns, 'projectId', 'function'),
        status: typed<string | null>('text'),
        eventType: typed<string | null>('text'),
        since: typed<Date | null>('timestamp with time zone'),
        until: typed<Date | null>('timestamp with time zone'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: runColumns,
    },
    ({ projectId, function: name, status, eventType, since: from, until, limit, ...given }, row) => sql`select ${row}
      from ${functionRuns} where ${functionRuns.projectId} = ${projectId} and ${functionRuns.function} = ${name}
        and ${way.beyond(given)}
        and coalesce(${functionRuns.status} = ${status}::text, true)
        and coalesce(${functionRuns.eventType} = ${eventType}::text, true)
        and coalesce(${functionRuns.createdAt} >= ${from}::timestamptz, true)
        and coalesce(${functionRuns.createdAt} < ${until}::timestamptz, true) ${way.order} limit ${limit}`,
  ),
);

/** `GET /functions/v1/runs/:run_id/logs`. Contract 03, section 3.6. */
export const getFunctionRunLogs = query({
  name: 'functions.runLogs',
  tool: 'get_function_run_logs',
  command: 'functions runs logs',
  summary: 'What the attempts of a run have printed in the last 14 days, oldest first.',
  access: onRun,
  input: z.object({
    run: runId,
    tail: tailInput,
    since: since.optional().describe('Only lines from then on: milliseconds since 1970, or ISO 8601 with a zone.'),
  }),
  async handler({ services, org, project }, { run, tail, since: from = null }) {
    // Lines that this node has not written yet belong to it as well.
    await services.functions.flush();
    const owner = { orgId: org.id, projectId: project.id };
    return services.db.rows(runTailStatement.with({ ...owner, run, tail, since: from }));
  },
  wire: getFunctionLogs.wire,
  toWire: getFunctionLogs.toWire,
});

const runTailStatement = statement(
  'runs.tail',
  {
    params: {
      ...pick(functionLogs, 'orgId', 'projectId'),
      run: functionRuns.id,
      tail: typed<number>('bigint'),
      since: typed<Date | null>('timestamp with time zone'),
    },
    row: lineColumns,
  },
  (
    { orgId, projectId, run, tail, since: from },
    row,
  ) => sql`select ${row} from (select ${functionLogs}.* from ${functionRuns}
      join ${functionLogs} on ${functionLogs.orgId} = ${orgId} and ${functionLogs.projectId} = ${projectId}
        and ${functionLogs.function} = ${functionRuns.function} and ${functionLogs.at} >= ${functionRuns.createdAt}
      where ${functionRuns.id} = ${run} and ${functionLogs.requestId} = ${run}
        and coalesce(${functionLogs.at} >= ${from}::timestamptz, true)
      order by ${functionLogs.at} desc, ${functionLogs.position} desc limit ${tail}) as ${functionLogs}
    order by ${functionLogs.at}, ${functionLogs.position}`,
);

export interface OpenedRun extends Opened<ChangeRow<RunChange>> {
  readonly runId: string;
  readonly projectId: string;
}

/** What a subscription begins with: the right to follow the run, and the position of its cursor. */
export const openFunctionRun = query({
  name: 'functions.openRun',
  command: 'functions runs get --watch',
  sdk: 'followRun',
  follows: ['functionRun'],
  summary: 'Begin to follow a run: how it stands, and then what becomes of it.',
  access: onRun,
  input: z.object({ run: runId, cursor: cursor.optional() }),
  async handler({ services, org, project }, { run, cursor: after }): Promise<OpenedRun> {
    const opened = await openFeed(services, runFeed(org.id, project.id), after);
    const asked = { ...opened, runId: run, projectId: project.id };
    if (after !== undefined) return asked;
    const [latest] = await services.db.rows(
      latestChangeStatement.with({ orgId: org.id, feedId: project.id, objectId: run }),
    );
    return { ...asked, position: latest === undefined ? opened.head : latest.position - 1n };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});

/** The latest change of a run that is kept. */
const latestChangeStatement = statement(
  'runs.latest-change',
  { params: pick(feedChanges, 'orgId', 'feedId', 'objectId'), row: pick(feedChanges, 'position') },
  ({ orgId, feedId, objectId }, row) => sql`select ${row} from ${feedChanges}
    where ${feedChanges.orgId} = ${orgId} and ${feedChanges.kind} = 'function_runs' and ${feedChanges.feedId} = ${feedId}
      and ${feedChanges.objectId} = ${objectId} order by ${feedChanges.position} desc limit 1`,
);
