import type { Statement } from '../../db/pool.ts';
import type { PendingFingerprint } from '../../db/schema/errors.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Task } from '../../kernel/run/task.ts';
import { errorEvents } from './event-types.ts';
import type { FingerprintKey, ReportedProject } from './reported.ts';

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
  const ids = inserted.map(({ fingerprintId }) => fingerprintId);
  const functions = inserted.map((row) => row.function);
  const values = [orgId, projectId, ids, functions];
  const due = await work.rows<{ release_id: string; due_at: Date }>(pendStatement, values);
  for (const { release_id: releaseId, due_at: runAt } of due) {
    const key = jobKey(projectId, releaseId);
    await work.addJob(observeErrorsTask, { orgId, projectId, releaseId }, { runAt, key });
  }
}

// A statement of its own, after the project's lock: it sees what was committed by those who had the lock before.
const pendStatement: Statement = {
  name: 'errors.pend',
  text: `with fresh as (
      select distinct on (f.fingerprint_id) f.* from error_fingerprints f
      join unnest($3::text[], $4::text[]) as i(fingerprint_id, function) using (fingerprint_id, function)
      where f.org_id = $1 and f.project_id = $2 and not exists (
        select from error_fingerprints o
        where o.org_id = $1 and o.project_id = $2 and o.fingerprint_id = f.fingerprint_id
          and (o.fingerprint_id, o.function) not in (select * from unnest($3::text[], $4::text[])))
      order by f.fingerprint_id, f.first_seen, f.function
    ), told as (
      select first_seen_release_id as release_id, count(*)::int as count, min(first_seen) as since,
        to_jsonb((array_agg(jsonb_build_object('fingerprint_id', fingerprint_id, 'function', function, 'kind', kind,
          'error_name', error_name, 'message_template', message_template) order by first_seen, fingerprint_id))[1:${namedMax}]) as named
      from fresh where first_seen_release_id is not null group by 1
    )
    insert into error_releases as r (org_id, project_id, release_id, pending, pending_fingerprints, pending_since, due_at)
    select $1, $2, release_id, count, named, since, now() from told order by release_id
    on conflict (org_id, project_id, release_id) do update set
      pending = r.pending + excluded.pending,
      pending_fingerprints = case when r.pending >= ${namedMax} then r.pending_fingerprints
        else jsonb_path_query_array(r.pending_fingerprints || excluded.pending_fingerprints, '$[0 to ${namedMax - 1}]') end,
      pending_since = least(r.pending_since, excluded.pending_since),
      due_at = coalesce(r.due_at, greatest(now(), r.told_at + interval '${quietSeconds} seconds'))
    returning release_id, due_at`,
};

interface Taken {
  readonly pending: number;
  readonly named: readonly PendingFingerprint[];
  readonly since: Date;
}

/**
 * Tells of what waits under one release, once it is due. Run too early or twice it tells nothing: the row decides, by
 * the database’s clock.
 */
export const observeErrors: Task = async ({ ctx, addJob }, payload) => {
  const { orgId, projectId, releaseId } = payload as { orgId: string; projectId: string; releaseId: string };
  const values = [orgId, projectId, releaseId];
  const told = await unitOfWork(ctx, async (work) => {
    const [taken] = await work.rows<Taken>(takeStatement, values);
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
  const [waiting] = await ctx.services.db.rows<{ due_at: Date }>(waitingStatement, values);
  if (waiting !== undefined) {
    const when = { key: jobKey(projectId, releaseId), runAt: waiting.due_at };
    await addJob(observeErrorsTask, { orgId, projectId, releaseId }, when);
  }
};

const takeStatement: Statement = {
  name: 'errors.take-pending',
  text: `with due as (
      select pending, pending_fingerprints as named, pending_since as since from error_releases
      where org_id = $1 and project_id = $2 and release_id = $3 and due_at <= now() and pending > 0 for update
    ), emptied as (
      update error_releases set pending = 0, pending_fingerprints = '[]', pending_since = null, due_at = null, told_at = now()
      where org_id = $1 and project_id = $2 and release_id = $3 and exists (select from due)
    )
    select * from due`,
};

const waitingStatement: Statement = {
  name: 'errors.waiting',
  text: `select due_at from error_releases
    where org_id = $1 and project_id = $2 and release_id = $3 and due_at is not null`,
};

/** Enqueues again what is long due and has no living job; `hasNoLivingJob` says so of a job's key. */
export const enqueueOverdueSql = (hasNoLivingJob: (key: string) => string) =>
  `select graphile_worker.add_job('${observeErrorsTask}',
      json_build_object('orgId', org_id, 'projectId', project_id, 'releaseId', release_id), job_key => key)
    from (select *, 'errors:' || project_id || ':' || release_id as key from error_releases
      where due_at < now() - interval '1 minute') r
    where ${hasNoLivingJob('r.key')}`;
