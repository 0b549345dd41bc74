import { sql } from '../../../db/drizzle.ts';
import { functionSchedules } from '../../../db/schema/function-schedules.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { allOf, computed, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { nextDue } from '../../../engines/release/next-due.ts';
import { inputDigest } from '../../../kernel/durability/idempotency.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../../kernel/run/task.ts';
import { fireSchedulesTask } from '../shared/replace-schedules.ts';
import { insertRun } from './insert-run.ts';
import { retryInput, retryOf } from './retry.ts';
import type { FunctionRun } from './run-row.ts';

/** A moment that is longer past than this when a node comes to it was missed, and is dropped; in seconds. */
const lateSeconds = 300;
/** The job runs every minute, and by itself for what is due sooner. */
const aheadSeconds = 90;

/**
 * Makes the runs of all schedules that are due by the clock of the database, each in a transaction of its own. May run on
 * many nodes at once: what one has in hand the others pass by, and the key of a run is its trigger and moment.
 */
export const fireSchedules: Task = async ({ ctx, addJob }) => {
  for (;;) {
    ctx.signal.throwIfAborted();
    const found = await unitOfWork(ctx, async (work) => {
      const [due] = await work.rows(takeStatement.with({}));
      if (due !== undefined) await fire(work, due);
      return due !== undefined;
    });
    if (!found) break;
  }
  const [next] = await ctx.services.db.rows(nextStatement.with({ seconds: aheadSeconds }));
  if (next?.at != null) await addJob(fireSchedulesTask, {}, { key: `${fireSchedulesTask}:next`, runAt: next.at });
};

const scheduleColumns = allOf(functionSchedules);

export type FunctionSchedule = RowOf<typeof scheduleColumns>;

type DueSchedule = FunctionSchedule & {
  readonly isMissed: boolean;
  readonly isServed: boolean;
  /** Moments up to then are missed. */
  readonly missedUpTo: Date;
};

/** The next moment is told from the one that was due, never from now: no moment is due twice. */
async function fire(work: Work, due: DueSchedule): Promise<void> {
  const at = due.nextAt!;
  const run =
    due.isMissed || !due.isServed
      ? undefined
      : await runSchedule(work, due, { mode: 'scheduled', at, key: `${due.triggerId} ${at.toISOString()}` });
  const nextAt = nextDue(due.cron, due.timezone, due.isMissed ? due.missedUpTo : at);
  await work.rows(advanceStatement.with({ ...keyOf(due), nextAt, lastRunId: run?.id ?? null }));
}

/** Has the function of a schedule run. @returns undefined when there is a run of the key */
export const runSchedule = (
  work: Work,
  { orgId, projectId, function: name, triggerId, releaseId, run }: FunctionSchedule,
  { mode, at, key }: { readonly mode: 'scheduled' | 'manual'; readonly at: Date; readonly key: string },
): Promise<FunctionRun | undefined> =>
  insertRun(work, {
    orgId,
    projectId,
    function: name,
    eventType: run.eventType,
    source: { type: 'schedule', trigger_id: triggerId, mode, scheduled_at: at.toISOString(), release_id: releaseId },
    idempotencyKey: key,
    intent: inputDigest(run),
    payload: run.payload,
    retry: retryOf(run.retry === undefined ? undefined : retryInput.parse(run.retry)),
    expiresAfterSeconds: run.expiresAfterSeconds,
  });

const keyColumns = pick(functionSchedules, 'orgId', 'projectId', 'function', 'triggerId');
const keyOf = ({ orgId, projectId, function: name, triggerId }: FunctionSchedule) => ({
  orgId,
  projectId,
  function: name,
  triggerId,
});

const missedUpTo = sql.raw(`now() - make_interval(secs => ${lateSeconds})`);

const takeStatement = statement(
  'schedules.take-due',
  {
    row: {
      ...scheduleColumns,
      isMissed: computed<boolean>('boolean', sql`${functionSchedules.nextAt} <= ${missedUpTo}`),
      missedUpTo: computed<Date>('timestamp with time zone', missedUpTo),
      isServed: computed<boolean>(
        'boolean',
        sql`exists (select from ${projects} join ${orgs} on ${orgs.id} = ${projects.orgId}
          where ${projects.id} = ${functionSchedules.projectId} and ${projects.deletedAt} is null
            and ${projects.archivedAt} is null and ${orgs.lifecycleState} in ('active', 'past_due'))`,
      ),
    },
  },
  (_none, row) => sql`select ${row} from ${functionSchedules} where ${functionSchedules.nextAt} <= now()
    order by ${functionSchedules.nextAt} limit 1 for no key update skip locked`,
);

const advanceStatement = statement(
  'schedules.advance',
  {
    params: {
      ...keyColumns,
      nextAt: typed<Date | null>('timestamp with time zone'),
      lastRunId: typed<string | null>('text'),
    },
  },
  ({ orgId, projectId, function: name, triggerId, nextAt, lastRunId }) => sql`update ${functionSchedules}
    ${setOf(functionSchedules, {
      nextAt,
      lastRunId: sql`coalesce(${lastRunId}, ${functionSchedules.lastRunId})`,
      lastRunAt: sql`case when ${lastRunId}::text is null then ${functionSchedules.lastRunAt} else now() end`,
      runCount: sql`${functionSchedules.runCount} + case when ${lastRunId}::text is null then 0 else 1 end`,
    })} where ${functionSchedules.orgId} = ${orgId} and ${functionSchedules.projectId} = ${projectId}
      and ${functionSchedules.function} = ${name} and ${functionSchedules.triggerId} = ${triggerId}`,
);

/** Notes a run that was not due. */
export const noteRunStatement = statement(
  'schedules.note-run',
  { params: { ...keyColumns, ...pick(functionSchedules, 'lastRunId') }, row: scheduleColumns },
  ({ orgId, projectId, function: name, triggerId, lastRunId }, row) => sql`update ${functionSchedules}
    ${setOf(functionSchedules, {
      lastRunId,
      lastRunAt: sql`now()`,
      runCount: sql`${functionSchedules.runCount} + 1`,
    })} where ${functionSchedules.orgId} = ${orgId} and ${functionSchedules.projectId} = ${projectId}
      and ${functionSchedules.function} = ${name} and ${functionSchedules.triggerId} = ${triggerId} returning ${row}`,
);

const nextStatement = statement(
  'schedules.next',
  {
    params: { seconds: typed<number>('double precision') },
    row: { at: computed<Date | null>('timestamp with time zone', sql`min(${functionSchedules.nextAt})`) },
  },
  ({ seconds }, row) => sql`select ${row} from ${functionSchedules}
    where ${functionSchedules.nextAt} < now() + make_interval(secs => ${seconds})`,
);
