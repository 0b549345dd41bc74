import { type SQL, sql } from '../../db/drizzle.ts';
import { interval } from '../../db/intervals.ts';
import { projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { computed, excluded, insertSelect, statement } from '../../db/sql.ts';
import { batchRows, changeInBatches, untilNotFull } from '../../kernel/durability/housekeeping.ts';
import type { Task } from '../../kernel/run/task.ts';
import { mergeMetrics } from '../../kernel/traffic/merge-metrics.ts';

/** How long minutes are kept before they are added to their hours, in hours. */
const minutesKeptHours = 24;
/** How long hours are kept, in days. */
export const hoursKeptDays = 30;
/** How long requests are kept, in days. */
export const requestsKeptDays = 7;

/**
 * Failures that are kept of a project, and rows among the latest that may be anything: so together twice as many. Those
 * of holders of the public key are apart, and those of clients that were not let in: anybody can make as many as they like.
 */
const rowsKept = 5_000;
const refusedKept = 1_000;

/** Adds minutes that are old to their hours, a batch at a time. All is in one statement: a minute counts in one place. */
export const rollUp: Task = (job) =>
  untilNotFull(job, batchRows, async () => (await job.ctx.services.db.rows(rollUpStatement.with({})))[0]!.rolledUp);

const { connections } = projectMetrics;
const hour = sql`date_trunc('hour', starts_at, 'UTC')`;

const rollUpStatement = statement(
  'traffic.roll-up',
  { row: { rolledUp: computed<number>('integer', sql`count(*)::int`) } },
  (_none, row) => sql`with gone as (
      delete from ${projectMetrics} where ctid = any(array(
        select ctid from ${projectMetrics}
        where ${projectMetrics.span} = 'minute'
          and ${projectMetrics.startsAt} < date_trunc('hour', now() - ${interval(`${minutesKeptHours} hours`)}, 'UTC')
        order by ${projectMetrics.startsAt} limit ${sql.raw(String(batchRows))} for update skip locked))
      returning *
    ), buckets as (
      select org_id, project_id, hour, array_agg(count order by place) as latency from (
        select org_id, project_id, ${hour} as hour, place, sum(count)::int as count
        from gone, unnest(latency) with ordinality as bucket (count, place) group by 1, 2, 3, 4
      ) summed group by 1, 2, 3
    ), added as (
      ${insertSelect(
        projectMetrics,
        {
          orgId: sql`gone.org_id`,
          projectId: sql`gone.project_id`,
          span: sql`'hour'`,
          startsAt: sql`buckets.hour`,
          requests: sql`sum(gone.requests)`,
          clientErrors: sql`sum(gone.client_errors)`,
          serverErrors: sql`sum(gone.server_errors)`,
          latency: sql`buckets.latency`,
          connections: sql`max(gone.connections)`,
          storageBytes: sql`(array_agg(gone.storage_bytes order by gone.starts_at desc)
            filter (where gone.storage_bytes is not null))[1]`,
          unlogged: sql`sum(gone.unlogged)`,
        },
        sql`from gone join buckets on buckets.org_id = gone.org_id and buckets.project_id = gone.project_id
          and buckets.hour = ${hour}
        group by gone.org_id, gone.project_id, buckets.hour, buckets.latency
        order by gone.project_id, buckets.hour`,
      )}
      ${mergeMetrics(sql`greatest(${connections}, ${excluded(connections)})`)}
    ) select ${row} from gone`,
);

const kept = sql.raw(String(rowsKept));

/** Projects that were called lately: the others have no more rows than when they were looked at last. */
const calledLately = sql`(select distinct ${projectMetrics.orgId} as org_id, ${projectMetrics.projectId} as project_id
    from ${projectMetrics}
    where ${projectMetrics.span} = 'minute' and ${projectMetrics.startsAt} > now() - interval '2 hours') called`;

const isOfCalled = sql`${projectRequests.orgId} = called.org_id and ${projectRequests.projectId} = called.project_id`;
const newestFirst = sql`order by ${projectRequests.at} desc, ${projectRequests.seq} desc`;
const batch = sql.raw(String(batchRows));

const isAnon = sql`${projectRequests.caller} = 'anon'`;
const isRefused = sql`${projectRequests.caller} is null`;
/** Of a caller who is more than a holder of the public key. */
const isOwn = sql`${projectRequests.caller} <> 'anon'`;

/** Removes what strangers asked of busy projects beyond the latest. */
const pruneStrangers = (name: string, isOf: SQL, most: number): Task =>
  changeInBatches(
    name,
    sql`delete from ${projectRequests} where ctid = any(array(
      select old.ctid from ${calledLately} cross join lateral (
        select ctid from ${projectRequests} where ${isOfCalled} and ${isOf}
        ${newestFirst} offset ${sql.raw(String(most))} limit ${batch}
      ) old limit ${batch}))`,
  );
export const pruneAnon = pruneStrangers('prune-anon-requests', isAnon, rowsKept);
export const pruneRefused = pruneStrangers('prune-refused-requests', isRefused, refusedKept);

/** Removes failures of busy projects beyond the latest. */
export const pruneFailures: Task = changeInBatches(
  'prune-failed-requests',
  sql`delete from ${projectRequests} where ctid = any(array(
    select old.ctid from ${calledLately} cross join lateral (
      select ctid from ${projectRequests} where ${isOfCalled} and ${isOwn} and ${projectRequests.status} >= 400
      ${newestFirst} offset ${kept} limit ${batch}
    ) old limit ${batch}))`,
);

/** Removes other requests of busy projects that lie behind as many rows of any kind. */
export const pruneSuccesses: Task = changeInBatches(
  'prune-requests',
  sql`delete from ${projectRequests} where ctid = any(array(
    select old.ctid from ${calledLately} cross join lateral (
      select ${projectRequests.at} as at, ${projectRequests.seq} as seq from ${projectRequests} where ${isOfCalled} and ${isOwn}
      ${newestFirst} offset ${kept} limit 1
    ) edge cross join lateral (
      select ctid from ${projectRequests} where ${isOfCalled} and ${isOwn} and ${projectRequests.status} < 400
        and (${projectRequests.at}, ${projectRequests.seq}) <= (edge.at, edge.seq)
      limit ${batch}
    ) old limit ${batch}))`,
);
