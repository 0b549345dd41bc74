import { sql } from '../../../db/drizzle.ts';
import { functionRuns } from '../../../db/schema/function-runs.ts';
import { functionSchedules } from '../../../db/schema/function-schedules.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ReleaseState } from '../../../engines/release/model.ts';
import { nextDue, schedulesOf } from '../../../engines/release/next-due.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { isElsewhere } from '../../projects/shared/is-elsewhere.ts';

/** The job that makes the runs of schedules that are due. */
export const fireSchedulesTask = 'fire-schedules';

interface Owner {
  readonly orgId: string;
  readonly projectId: string;
}

/**
 * Puts the schedules of a release in place of those before, in the transaction that makes it live. A schedule that stays as
 * it was comes due when it would have. Runs that wait for a function of the release go on.
 *
 * @param owner with `rest`, none of them comes due
 */
export async function replaceSchedules(
  work: Work,
  { rest, ...owner }: Owner & { readonly rest: boolean },
  releaseId: string,
  { functions }: Pick<ReleaseState, 'functions'>,
): Promise<void> {
  const wanted = [...functions].flatMap(([name, fn]) => schedulesOf(fn).map((trigger) => ({ name, trigger })));
  await work.rows(
    removeStatement.with({
      ...owner,
      functions: wanted.map(({ name }) => name),
      triggers: wanted.map(({ trigger }) => trigger.id),
    }),
  );
  await work.rows(unblockStatement.with({ projectId: owner.projectId }));
  work.afterCommit(() => work.services.functionRuns.wake());
  if (wanted.length === 0) return;
  const [clock] = await work.rows(clockStatement.with({}));
  for (const { name, trigger } of wanted) {
    const { id: triggerId, cron, timezone, run } = trigger;
    const nextAt = rest ? null : nextDue(cron, timezone, clock!.now);
    await work.rows(
      putStatement.with({
        ...owner,
        function: name,
        triggerId,
        releaseId,
        cron,
        timezone,
        run: JSON.stringify(run),
        nextAt,
      }),
    );
  }
  // It looks when the next one is due.
  await work.addJob(fireSchedulesTask, {}, { key: `${fireSchedulesTask}:${owner.projectId}` });
}

/** How many schedules the live releases of the organization's other projects have. */
export async function schedulesElsewhereOf(rows: Rows, owner: Owner): Promise<number> {
  const [row] = await rows(elsewhereStatement.with(owner));
  return Number(row!.count);
}

const removeStatement = statement(
  'schedules.remove-others',
  {
    params: {
      ...pick(functionSchedules, 'orgId', 'projectId'),
      functions: typed<readonly string[]>('text[]'),
      triggers: typed<readonly string[]>('text[]'),
    },
  },
  ({ orgId, projectId, functions, triggers }) => sql`delete from ${functionSchedules}
    where ${functionSchedules.orgId} = ${orgId} and ${functionSchedules.projectId} = ${projectId}
      and (${functionSchedules.function}, ${functionSchedules.triggerId})
        not in (select * from unnest(${functions}::text[], ${triggers}::text[]))`,
);

const unblockStatement = statement(
  'runs.unblock',
  { params: pick(functionRuns, 'projectId') },
  ({ projectId }) => sql`update ${functionRuns} ${setOf(functionRuns, { dueAt: sql`now()` })}
    where ${functionRuns.projectId} = ${projectId} and ${functionRuns.dueAt} > now() and ${functionRuns.status} = 'blocked'`,
);

const clockStatement = statement(
  'schedules.clock',
  { row: { now: computed<Date>('timestamp with time zone', sql`clock_timestamp()`) } },
  (_none, row) => sql`select ${row}`,
);

const isSame = sql`${functionSchedules.cron} = ${excluded(functionSchedules.cron)}
  and ${functionSchedules.timezone} = ${excluded(functionSchedules.timezone)}`;

const putStatement = statement(
  'schedules.put',
  {
    params: pick(
      functionSchedules,
      'orgId',
      'projectId',
      'function',
      'triggerId',
      'releaseId',
      'cron',
      'timezone',
      'run',
      'nextAt',
    ),
  },
  (given) =>
    sql`${insertInto(functionSchedules, given)} on conflict (${namesOf(
      functionSchedules.orgId,
      functionSchedules.projectId,
      functionSchedules.function,
      functionSchedules.triggerId,
    )}) do update ${setOf(functionSchedules, {
      releaseId: excluded(functionSchedules.releaseId),
      cron: excluded(functionSchedules.cron),
      timezone: excluded(functionSchedules.timezone),
      run: excluded(functionSchedules.run),
      nextAt: sql`case when ${isSame} then ${functionSchedules.nextAt} else ${excluded(functionSchedules.nextAt)} end`,
    })}`,
);

const elsewhereStatement = statement(
  'schedules.elsewhere',
  {
    params: pick(functionSchedules, 'orgId', 'projectId'),
    row: { count: computed<bigint>('bigint', sql`count(*)`) },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${functionSchedules}
    join ${projects} on ${projects.orgId} = ${functionSchedules.orgId} and ${projects.id} = ${functionSchedules.projectId}
    where ${functionSchedules.orgId} = ${orgId} and ${isElsewhere(projectId)}`,
);
