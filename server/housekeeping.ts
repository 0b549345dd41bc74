import { dropEventPartitions, makeEventPartitions } from '../db/event-partitions.ts';
import { type Database, inTransaction } from '../db/pool.ts';
import { sendMailTask } from '../kernel/durability/outbox.ts';
import { changesBatch, pruneChangesSql } from '../kernel/feeds/changes.ts';
import { today } from '../kernel/limits/daily-quota.ts';
import { reapStepTask } from '../kernel/run/steps.ts';
import type { Task, TaskContext } from '../kernel/run/task.ts';
import { invocationsKeptDays, minutesKeptDays } from '../resolvers/errors/invocation-buckets.ts';
import { enqueueOverdueSql } from '../resolvers/errors/observe-new.ts';
import { countedSince } from '../resolvers/errors/occurrence-counts.ts';
import { eraseGone } from '../resolvers/errors/shared/erase-gone.ts';
import { erasePurgedEvents } from '../resolvers/events/erase-purged.ts';
import { pruneLive } from '../resolvers/live/shared/prune-live.ts';
import { keptHours } from '../resolvers/payments/payment-settlement.ts';
import { forgetReportsSql } from '../resolvers/payments/shared/chain-payments.ts';
import { purgeProjects } from '../resolvers/projects/purge-projects.ts';
import { messagesKeptDays, pruneMessages } from '../resolvers/rooms/prune-messages.ts';

/** The job that removes what has expired or was purged, and enqueues again what a vanished node left behind. */
export const housekeepingTask = 'housekeeping';

/** Rows deleted by one statement. */
const batchRows = 1_000;

/** Each step by itself: one that fails keeps no other from running, is told of by name, and fails the job at the end. */
export const keepHouse: Task = async (job, payload) => {
  const failures: unknown[] = [];
  for (const [step, run] of Object.entries(steps)) {
    job.ctx.signal.throwIfAborted();
    try {
      await run(job, payload);
    } catch (error) {
      // What ends because the server stops has not failed.
      job.ctx.signal.throwIfAborted();
      job.log.warn({ err: error, step }, 'A step of housekeeping failed; the others go on.');
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} steps of housekeeping failed`);
};

/** Deletes until a batch is not full. */
async function inBatches({ ctx }: Pick<TaskContext, 'ctx'>, full: number, batch: () => Promise<number>): Promise<void> {
  do ctx.signal.throwIfAborted();
  while ((await batch()) >= full);
}

const deleteExpired = (table: string, condition: string): Task => {
  const batch = `select ctid from ${table} where ${condition} limit ${batchRows} for update skip locked`;
  return (job) =>
    inBatches(job, batchRows, async () => {
      const text = `delete from ${table} where ctid = any(array(${batch}))`;
      return (await job.ctx.services.db.pool.query(text)).rowCount ?? 0;
    });
};

const run =
  (text: string, values: readonly unknown[] = []): Task =>
  async ({ ctx }) =>
    void (await ctx.services.db.pool.query(text, [...values]));

/** Rows that nobody needs any more, and which of a table's where that has several kinds. */
const expired: readonly (readonly [table: string, condition: string, which?: string])[] = [
  ['wallet_nonces', 'expires_at < now()'],
  // A node that lives renews its own.
  ['live_connections', `expires_at < now() - interval '1 minute'`],
  ['idempotency_keys', 'expires_at < now()'],
  ['audit_hosts', 'full_at < now()'],
  // Who comes late is told so for a while, rather than that there never was such a key.
  ['room_invites', `expires_at < now() - interval '30 days' and claimed_at is null`],
  ['room_sends', `day < ${today} - 1`],
  ['mail_outbox', `created_at < now() - interval '30 days'`],
  // Transfers that were presented by their hash, and whose audit failed.
  ['payments', `version = 0 and state = 'verified' and lease_until < now() - interval '1 hour'`],
  // Payments that nothing was given for: whoever still has such a signature may present it as if for the first time. The
  // month is for those that never expire, since to have them refused costs nothing.
  [
    'payments',
    `state in ('released', 'failed') and version <> 0 and lease_until < now() and created_at < now() - interval '1 day'
     and (valid_before < now() - interval '1 day' or created_at < now() - interval '30 days')`,
    'given back or refused',
  ],
  // Over for so long: none lasts more than a day.
  ['room_claims', `expires_at < now() - interval '90 days'`],
  // By the lease, which ends soon after the work: that is what the index knows.
  ['step_operations', `state in ('done', 'undone') and lease_until < now() - interval '7 days'`],
  // Of periods that are over: none lasts so long, since pinned organizations begin new ones, too.
  [
    'project_usage',
    `since < now() - interval '400 days' and not exists (
     select from orgs o where o.id = org_id and o.usage_since = since)`,
  ],
  // Nobody reports a fact so late; the events themselves are gone by then.
  ['event_keys', `created_at < now() - interval '400 days'`],
  // Of messages, which are themselves gone, and told of no more.
  [
    'event_keys',
    `key like 'message:%' and created_at < now() - interval '${messagesKeptDays + 10} days'`,
    'of messages',
  ],
  // Links last for hours; the mail that brought one is kept as long.
  ['operator_contact_challenges', `expires_at < now() - interval '30 days'`],
  ['a2a_tasks', 'expires_at < now()'],
  ['webhook_jobs', 'expires_at < now()'],
  ['kept_results', 'expires_at < now()'],
  ['daily_counts', `day < ${today} - 7`],
  [
    'function_invocations',
    `span = 'hour' and starts_at < now() - interval '${invocationsKeptDays} days'`,
    'by the hour',
  ],
  // Later than windows count whole hours, so that no minute of a window is missing.
  [
    'function_invocations',
    `span = 'minute' and starts_at < now() - interval '${minutesKeptDays * 24 + 2} hours'`,
    'by the minute',
  ],
  ['error_counts', `starts_at < ${countedSince}`],
  // Statistics know their number by then from the days.
  ['audits', `created_at < now() - interval '400 days'`],
  ['audited_domains', `audited_at < now() - interval '400 days'`],
  // Whoever was not answered in a year will not be.
  ['inquiries', `created_at < now() - interval '365 days'`],
  // Of a node that lives it comes back with the next batch, under a higher number.
  ['downloads', 'expires_at < now()'],
  // Sold to nobody who may still have it. A day is left for whoever is about to sell it again.
  [
    'bundles',
    `sold_at < now() - interval '1 day' and not exists (select from downloads d where d.sha256 = bundles.sha256)`,
  ],
  // Ceremonies are over in minutes; what they led to is in the trail.
  ['ceremony_challenges', `expires_at < now() - interval '1 day'`],
  ['mailed_links', `expires_at < now() - interval '1 day'`],
  ['device_flows', `expires_at < now() - interval '1 day'`],
  ['loopback_flows', `expires_at < now() - interval '1 day'`],
  ['oauth_flows', `expires_at < now() - interval '1 day'`],
  ['wallet_claims', `expires_at < now() - interval '1 day'`],
  ['approval_challenges', `expires_at < now() - interval '1 day'`],
  ['sign_in_tries', 'window_ends < now()'],
  // After what was begun in them, which ends with them at the latest.
  ['write_approvals', `absolute_expires_at < now() - interval '30 days'`],
  ['sessions', `absolute_expires_at < now() - interval '31 days'`],
  ['usage_flushes', `flushed_at < now() - interval '1 day'`],
];

/** No job of the key will run: there is none, it has failed for good, or a node that vanished has locked it. */
const hasNoLivingJob = (key: string) => `not exists (
  select from graphile_worker._private_jobs j where j.key = ${key}
    and case when j.locked_at is null then j.attempts < j.max_attempts else j.locked_at > now() - interval '10 minutes' end)`;

const enqueueStepsSql = `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations s
  where state = 'running' and lease_until < now() - interval '1 minute' and ${hasNoLivingJob('s.id')}`;

const enqueueMailsSql = `select graphile_worker.add_job($1, json_build_object('mailId', id), job_key => id) from mail_outbox m
  where state = 'queued' and created_at > now() - interval '3 days' and ${hasNoLivingJob('m.id')}`;

/**
 * Contract 00, section 1.9: a day since it was settled. What is settled can be told of for as long as there is a ledger.
 * By the age of the row, too: that is what the index knows.
 */
const forgetAnswersSql = `update payments set outcome = null, identifier = null
  where created_at < now() - interval '${keptHours} hours' and (outcome is not null or identifier is not null)
    and coalesce(settled_at, created_at) < now() - interval '${keptHours} hours'`;

/** What housekeeping does, in this order. */
const steps: Readonly<Record<string, Task>> = {
  'make event partitions': ({ ctx }) => makeEventPartitions(ctx.services.db.pool),
  ...Object.fromEntries(
    expired.map(([table, condition, which]) => [
      ['expire', table, ...(which === undefined ? [] : [which])].join(' '),
      deleteExpired(table, condition),
    ]),
  ),
  'enqueue steps': run(enqueueStepsSql, [reapStepTask]),
  'forget answers of payments': run(forgetAnswersSql),
  'prune changes': (job) =>
    inBatches(job, changesBatch, async () => {
      const { rows } = await job.ctx.services.db.pool.query<{ looked: number }>(pruneChangesSql);
      return rows[0]!.looked;
    }),
  'prune messages': ({ ctx }) => pruneMessages(ctx),
  'enqueue errors': run(enqueueOverdueSql(hasNoLivingJob)),
  'purge projects': async ({ ctx }) => void (await purgeProjects(ctx)),
  'erase purged events': ({ ctx }) => erasePurgedEvents(ctx),
  'erase errors': ({ ctx }) => eraseGone(ctx),
  'prune live': ({ ctx }) => pruneLive(ctx),
  'end abandoned SQL': ({ ctx }) => ctx.services.projectDatabases.endAbandoned(),
  'enqueue mails': async (job, payload) => {
    if (job.mailer.configured) await run(enqueueMailsSql, [sendMailTask])(job, payload);
  },
  'forget reports': (job) =>
    inBatches(job, batchRows, async () => (await job.ctx.services.db.pool.query(forgetReportsSql)).rowCount ?? 0),
  'drop event partitions': async ({ ctx }) => void (await dropEventPartitions(ctx.services.db.pool, ctx.signal)),
};

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
    await client.query(`update payments set lease_until = now() - interval '1 second' where lease_until > now()`);
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
