import { type Database, inTransaction } from '../db/pool.ts';
import { pruneLive } from './live/prune-live.ts';
import { sendMailTask } from './mail/outbox.ts';
import { purgeProjects } from './projects/purge-projects.ts';
import { reapStepTask } from './steps.ts';
import type { Task } from './task.ts';

/** The job that removes what has expired or was purged, and enqueues again what a vanished node left behind. */
export const housekeepingTask = 'housekeeping';

/** Rows deleted by one statement. */
const batchRows = 1_000;

export const keepHouse: Task = async ({ ctx, mailer }) => {
  const { pool } = ctx.services.db;
  for (const [table, condition] of expired) {
    let deleted: number | null;
    do {
      ctx.signal.throwIfAborted();
      const batch = `select ctid from ${table} where ${condition} limit ${batchRows} for update skip locked`;
      ({ rowCount: deleted } = await pool.query(`delete from ${table} where ctid = any(array(${batch}))`));
    } while (deleted === batchRows);
  }
  await pool.query(
    `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations s
     where state = 'running' and lease_until < now() - interval '1 minute' and ${hasNoLivingJob('s.id')}`,
    [reapStepTask],
  );
  await purgeProjects(ctx);
  await pruneLive(ctx);
  if (!mailer.configured) return;
  await pool.query(
    `select graphile_worker.add_job($1, json_build_object('mailId', id), job_key => id) from mail_outbox m
     where state = 'queued' and created_at > now() - interval '3 days' and ${hasNoLivingJob('m.id')}`,
    [sendMailTask],
  );
};

/** Rows that nobody needs any more. */
const expired = [
  ['wallet_nonces', 'expires_at < now()'],
  // A node that lives renews its own.
  ['live_connections', `expires_at < now() - interval '1 minute'`],
  ['idempotency_keys', 'expires_at < now()'],
  ['mail_outbox', `created_at < now() - interval '30 days'`],
  // By the lease, which ends soon after the work: that is what the index knows.
  ['step_operations', `state in ('done', 'undone') and lease_until < now() - interval '7 days'`],
  // Of periods that are over: none lasts so long, since pinned organizations begin new ones, too.
  [
    'project_usage',
    `since < now() - interval '400 days' and not exists (
     select from orgs o where o.id = org_id and o.usage_since = since)`,
  ],
  // Of a node that lives it comes back with the next batch, under a higher number.
  ['usage_flushes', `flushed_at < now() - interval '1 day'`],
] as const;

/** No job of the key will run: there is none, it has failed for good, or a node that vanished has locked it. */
const hasNoLivingJob = (key: string) => `not exists (
  select from graphile_worker._private_jobs j where j.key = ${key}
    and case when j.locked_at is null then j.attempts < j.max_attempts else j.locked_at > now() - interval '10 minutes' end)`;

/**
 * Frees what a killed process held: claims of idempotency keys, leases of step operations and mails, locks of jobs.
 * Only for a node that is alone (see `NodeLock.alone`), before it serves and before its workers start.
 *
 * @returns how many step operations are picked up
 */
export async function sweepAbandoned(db: Pick<Database, 'pool'>): Promise<number> {
  return inTransaction(db.pool, async (client) => {
    await client.query(
      `update idempotency_keys set lease_until = now() - interval '1 second' where outcome is null and lease_until > now()`,
    );
    await client.query(
      `update step_operations set lease_until = now() - interval '1 second' where state = 'running' and lease_until > now()`,
    );
    await client.query(`update mail_outbox set lease_until = null where state = 'queued' and lease_until is not null`);
    // The queue itself believes a lost worker for four hours.
    await client.query(
      `select graphile_worker.force_unlock_workers(array(
         select locked_by from graphile_worker._private_jobs where locked_by is not null
         union select locked_by from graphile_worker._private_job_queues where locked_by is not null))`,
    );
    const steps = await client.query(
      `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations where state = 'running'`,
      [reapStepTask],
    );
    return steps.rowCount ?? 0;
  });
}
