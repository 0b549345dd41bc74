import { sql } from '../../db/drizzle.ts';
import { functionLogs } from '../../db/schema/functions.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, orNull, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Feed } from '../../kernel/feeds/feeds.ts';
import { logFeedName } from './shared/log-rows.ts';

export const lineColumns = pick(
  functionLogs,
  'position',
  'function',
  'releaseId',
  'requestId',
  'stream',
  'message',
  'at',
);

/** A line that a function printed. */
export type FunctionLine = RowOf<typeof lineColumns>;

/** What a row takes in memory besides its text; bytes, roughly. */
const rowBytes = 512;

/** What the functions of a project print, in one order. */
export const logFeed = (orgId: string, projectId: string): Feed<FunctionLine> => ({
  name: logFeedName(orgId, projectId),
  cursorPrefix: 'lcr_',
  positionOf: ({ position }) => position,
  sizeOf: ({ message }) => rowBytes + 2 * message.length,
  fetch: async (db, after, limit) => {
    const rows = await db.rows(sliceStatement.with({ orgId, projectId, after, limit }));
    return {
      head: rows[0]?.head ?? 0n,
      floor: rows[0]?.floor ?? 0n,
      rows: rows.filter(({ position }) => position !== null) as unknown as readonly FunctionLine[],
    };
  },
});

const ofProject = sql`${functionLogs.orgId} = ${feedHeads.orgId} and ${functionLogs.projectId} = ${feedHeads.feedId}`;

const sliceStatement = statement(
  'functions.slice',
  {
    timeoutMs: 3_000,
    params: {
      ...pick(functionLogs, 'orgId', 'projectId'),
      after: typed<bigint>('bigint'),
      limit: typed<number>('bigint'),
    },
    row: {
      head: feedHeads.position,
      // Lines go by age, so by position from the first.
      floor: computed<bigint>(
        'bigint',
        sql`coalesce((select min(${functionLogs.position}) - 1 from ${functionLogs} where ${ofProject}), ${feedHeads.position})`,
      ),
      ...orNull(lineColumns),
    },
  },
  ({ orgId, projectId, after, limit }, row) => sql`select ${row}
    from ${feedHeads}
    left join lateral (
      select ${functionLogs}.* from ${functionLogs}
      where ${functionLogs.orgId} = ${orgId} and ${functionLogs.projectId} = ${projectId}
        and ${functionLogs.position} > ${after}
      order by ${functionLogs.position} limit ${limit}
    ) ${functionLogs} on true
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'function_logs' and ${feedHeads.feedId} = ${projectId}
    order by ${functionLogs.position}`,
);
