import { sql } from '../../../db/drizzle.ts';
import { functionLogs } from '../../../db/schema/functions.ts';
import { computed, namesOf, pick, statement, typed } from '../../../db/sql.ts';
import { advanceHead } from '../../../kernel/feeds/advance-head.ts';
import type { FeedName } from '../../../kernel/feeds/feeds.ts';

const ofProject = pick(functionLogs, 'orgId', 'projectId');

/** The feed of what the functions of a project print. */
export const logFeedName = (orgId: string, projectId: string): FeedName => ({
  orgId,
  kind: 'function_logs',
  feedId: projectId,
});

/** Keeps lines in the order in which they were printed. @returns the position of the last one */
export const keepLinesStatement = statement(
  'functions.keep-lines',
  {
    params: { ...ofProject, lines: typed<string>('json'), count: typed<number>('bigint') },
    row: { head: computed<bigint>('bigint', sql`head.position`) },
  },
  ({ orgId, projectId, lines, count }, row) => sql`with head as (
      ${advanceHead({ orgId, kind: sql`'function_logs'`, feedId: projectId }, count)}
    ), kept as (
      insert into ${functionLogs}
        (${namesOf(
          functionLogs.orgId,
          functionLogs.projectId,
          functionLogs.position,
          functionLogs.function,
          functionLogs.releaseId,
          functionLogs.requestId,
          functionLogs.stream,
          functionLogs.message,
          functionLogs.at,
        )})
      select ${orgId}::uuid, ${projectId}, head.position - ${count} + line.ord, line."functionId", line."releaseId",
        line."requestId", line.stream, line.text, line.at
      from head cross join rows from (json_to_recordset(${lines}::json) as (
        "functionId" text, "releaseId" text, "requestId" text, stream text, text text, at timestamptz
      )) with ordinality as line ("functionId", "releaseId", "requestId", stream, text, at, ord)
    )
    select ${row} from head`,
);
