import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { errorFingerprints, errorReleases } from '../../db/schema/errors.ts';
import { computed, excluded, from, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import { type AwaitedJobs, enqueueAgain } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Task } from '../../kernel/run/task.ts';
import { errorEvents } from './event-types.ts';
import { type FingerprintKey, keyArrays, keysOf, type ReportedProject } from './reported.ts';

/** The job that tells of identities that are new in a release. Contract 02, section 4.6. */
export const observeErrorsTask = 'errors.observe';

/** Between two events about one release, in seconds. */
const quietSeconds = 60;
/** Identities that one event names; it counts them all. */
const namedMax = 10;

/** Names a job, as housekeeping looks for it too. */
const jobKey = (projectId: string, releaseId: string) => `errors:${projectId}:${releaseId}`;

/**
 * Has those of some new rows told of whose identity was in no function before, each under the release it was first
 * seen in. The project has to be locked.
 */
export async function observeNew(
  work: Work,
  { orgId, projectId }: ReportedProject,
  inserted: readonly FingerprintKey[],
): Promise<void> {
  const due = await work.rows(pendStatement.with({ orgId, projectId, ...keysOf(inserted) }));
  for (const { releaseId, dueAt: runAt } of due) {
    const key = jobKey(projectId, releaseId);
    await work.addJob(observeErrorsTask, { orgId, projectId, releaseId }, { runAt, key });
  }
}

const other = alias(errorFingerprints, 'other');
const dueAt = computed<Date>('timestamp with time zone', sql`${errorReleases.dueAt}`);
const named = sql.raw(String(namedMax));
const firstNamed = sql.raw(`'$[0 to ${namedMax - 1}]'`);
const quiet = sql.raw(`interval '${quietSeconds} seconds'`);

// A statement of its own, after the project's lock: it sees what was committed by those who had the lock before.
const pendStatement = statement(
  'errors.pend',
  {
    params: { ...pick(errorFingerprints, 'orgId', 'projectId'), ...keyArrays },
    row: { releaseId: errorReleases.releaseId, dueAt },
  },
  ({ orgId, projectId, fingerprintIds, functions }, row) => {
    const keys = sql`unnest(${fingerprintIds}::text[], ${functions}::text[])`;
    const { pending, pendingFingerprints, pendingSince } = errorReleases;
    return sql`with fresh as (
      select distinct on (${errorFingerprints.fingerprintId}) ${errorFingerprints}.* from ${errorFingerprints}
      join ${keys} as i(fingerprint_id, function)
        using (${namesOf(errorFingerprints.fingerprintId, errorFingerprints.function)})
      where ${errorFingerprints.orgId} = ${orgId} and ${errorFingerprints.projectId} = ${projectId} and not exists (
        select from ${from(other)} where ${other.orgId} = ${orgId} and ${other.projectId} = ${projectId}
          and ${other.fingerprintId} = ${errorFingerprints.fingerprintId}
          and (${other.fingerprintId}, ${other.function}) not in (select * from ${keys}))
      order by ${errorFingerprints.fingerprintId}, ${errorFingerprints.firstSeen}, ${errorFingerprints.function}
    ), told as (
      select ${errorFingerprints.firstSeenReleaseId} as release_id, count(*)::int as count,
        min(${errorFingerprints.firstSeen}) as since,
        to_jsonb((array_agg(jsonb_build_object('fingerprint_id', ${errorFingerprints.fingerprintId},
          'function', ${errorFingerprints.function}, 'kind', ${errorFingerprints.kind},
          'error_name', ${errorFingerprints.errorName}, 'message_template', ${errorFingerprints.messageTemplate})
          order by ${errorFingerprints.firstSeen}, ${errorFingerprints.fingerprintId}))[1:${named}]) as named
      from fresh ${errorFingerprints} where ${errorFingerprints.firstSeenReleaseId} is not null group by 1
    )
    insert into ${errorReleases} (${namesOf(
      errorReleases.orgId,
      errorReleases.projectId,
      errorReleases.releaseId,
      pending,
      pendingFingerprints,
      pendingSince,
      errorReleases.dueAt,
    )})
    select ${orgId}, ${projectId}, release_id, count, named, since, now() from told order by release_id
    on conflict (${namesOf(errorReleases.orgId, errorReleases.projectId, errorReleases.releaseId)})
      do update ${setOf(errorReleases, {
        pending: sql`${pending} + ${excluded(pending)}`,
        pendingFingerprints: sql`case when ${pending} >= ${named} then ${pendingFingerprints}
          else jsonb_path_query_array(${pendingFingerprints} || ${excluded(pendingFingerprints)}, ${firstNamed}) end`,
        pendingSince: sql`least(${pendingSince}, ${excluded(pendingSince)})`,
        dueAt: sql`coalesce(${errorReleases.dueAt}, greatest(now(), ${errorReleases.recordedAt} + ${quiet}))`,
      })}
    returning ${row}`;
  },
);

/**
 * Tells of what waits under one release, once it is due. Run too early or twice it tells nothing: the row decides, by
 * the database’s clock.
 */
export const observeErrors: Task = async ({ ctx, addJob }, payload) => {
  const { orgId, projectId, releaseId } = payload as { orgId: string; projectId: string; releaseId: string };
  const about = { orgId, projectId, releaseId };
  const told = await unitOfWork(ctx, async (work) => {
    const [taken] = await work.rows(takeStatement.with(about));
    if (taken === undefined) return false;
    work.append(
      appendEvent({
        orgId,
        projectId,
        type: errorEvents.error_fingerprints_observed,
        payload: {
          release_id: releaseId,
          new_fingerprints: taken.pending,
          fingerprints: [...taken.named],
          first_seen: taken.since.toISOString(),
        },
      }),
    );
    return true;
  });
  if (told) return;
  const [waiting] = await ctx.services.db.rows(waitingStatement.with(about));
  if (waiting !== undefined) {
    const when = { key: jobKey(projectId, releaseId), runAt: waiting.dueAt };
    await addJob(observeErrorsTask, { orgId, projectId, releaseId }, when);
  }
};

const release = pick(errorReleases, 'orgId', 'projectId', 'releaseId');
const isRelease = (given: { readonly [Name in keyof typeof release]: SQL }): SQL =>
  sql`${errorReleases.orgId} = ${given.orgId} and ${errorReleases.projectId} = ${given.projectId}
    and ${errorReleases.releaseId} = ${given.releaseId}`;

const takeStatement = statement(
  'errors.take-pending',
  {
    params: release,
    row: {
      pending: errorReleases.pending,
      named: errorReleases.pendingFingerprints,
      since: computed<Date>('timestamp with time zone', sql`${errorReleases.pendingSince}`),
    },
  },
  (given, row) => sql`with due as (
      select ${errorReleases.pending}, ${errorReleases.pendingFingerprints}, ${errorReleases.pendingSince}
      from ${errorReleases} where ${isRelease(given)} and ${errorReleases.dueAt} <= now()
        and ${errorReleases.pending} > 0
      for update
    ), emptied as (
      update ${errorReleases} ${setOf(errorReleases, {
        pending: sql`0`,
        pendingFingerprints: sql`'[]'`,
        pendingSince: sql`null`,
        dueAt: sql`null`,
        recordedAt: sql`now()`,
      })} where ${isRelease(given)} and exists (select from due)
    )
    select ${row} from due ${errorReleases}`,
);

const waitingStatement = statement(
  'errors.waiting',
  { params: release, row: { dueAt } },
  (given, row) => sql`select ${row} from ${errorReleases}
    where ${isRelease(given)} and ${errorReleases.dueAt} is not null`,
);

const jobs: AwaitedJobs = {
  task: observeErrorsTask,
  key: sql`'errors:' || ${errorReleases.projectId} || ':' || ${errorReleases.releaseId}`,
  payload: sql`json_build_object(
    'orgId', ${errorReleases.orgId}, 'projectId', ${errorReleases.projectId}, 'releaseId', ${errorReleases.releaseId})`,
};

/** Enqueues the reports again that are long due and have no living job. */
export const enqueueOverdue = enqueueAgain(
  'enqueue-errors',
  jobs,
  sql`from ${errorReleases} where ${isPast(errorReleases.dueAt, '1 minute')}`,
);
