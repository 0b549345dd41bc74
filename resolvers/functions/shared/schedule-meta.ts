import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { functionRuns } from '../../../db/schema/function-runs.ts';
import { functionSchedules } from '../../../db/schema/function-schedules.ts';
import { orNull, pick, type RowOf, statement } from '../../../db/sql.ts';

const shownColumns = {
  ...pick(functionSchedules, 'function', 'triggerId', 'cron', 'timezone', 'nextAt', 'lastRunAt', 'runCount'),
  ...orNull({ lastStatus: functionRuns.status, lastError: functionRuns.lastError }),
};

/** A schedule as it is shown, with how its last run stands. */
export type ShownSchedule = RowOf<typeof shownColumns>;

export const ScheduleMetaWire = z
  .object({
    last_run_at: z.iso.datetime().nullable(),
    last_status: z.string().nullable().describe('How its last run stands.'),
    next_run_at: z.iso.datetime().nullable(),
    run_count: z.int(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'ScheduleMeta' });

export const ScheduleWire = ScheduleMetaWire.extend({
  trigger_id: z.string(),
  cron: z.string(),
  timezone: z.string(),
});

const metaOf = ({ lastRunAt, lastStatus, nextAt, runCount, lastError }: ShownSchedule) => ({
  last_run_at: lastRunAt?.toISOString() ?? null,
  last_status: lastStatus,
  next_run_at: nextAt?.toISOString() ?? null,
  run_count: runCount,
  last_error: lastError?.message ?? null,
});

export const scheduleToWire = (one: ShownSchedule): z.output<typeof ScheduleWire> => ({
  trigger_id: one.triggerId,
  cron: one.cron,
  timezone: one.timezone,
  ...metaOf(one),
});

/** All schedules of a function as one: the next moment of any, and the last run of any. Null without one. */
export function scheduleMetaOf(schedules: readonly ShownSchedule[]): z.output<typeof ScheduleMetaWire> | null {
  if (schedules.length === 0) return null;
  const latest = schedules.reduce((last, one) => ((one.lastRunAt ?? 0) > (last.lastRunAt ?? 0) ? one : last));
  const next = schedules.flatMap(({ nextAt }) => (nextAt === null ? [] : [nextAt.getTime()]));
  return {
    ...metaOf(latest),
    next_run_at: next.length === 0 ? null : new Date(Math.min(...next)).toISOString(),
    run_count: schedules.reduce((sum, { runCount }) => sum + runCount, 0),
  };
}

/** The schedules of a project's live release. A tier allows few enough of them for one answer. */
export const schedulesStatement = statement(
  'schedules.list',
  { params: pick(functionSchedules, 'orgId', 'projectId'), row: shownColumns },
  ({ orgId, projectId }, row) => sql`select ${row} from ${functionSchedules}
    left join ${functionRuns} on ${functionRuns.id} = ${functionSchedules.lastRunId}
    where ${functionSchedules.orgId} = ${orgId} and ${functionSchedules.projectId} = ${projectId}
    order by ${functionSchedules.function} collate "C", ${functionSchedules.triggerId} collate "C"`,
);
