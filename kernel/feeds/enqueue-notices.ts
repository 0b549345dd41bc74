import { type SQL, sql } from '../../db/drizzle.ts';

/** The job that tells people of an event. */
export const tellNoticesTask = 'notices.tell';

/**
 * A condition, always true, that has people told of an event once the transaction that appends it is committed.
 *
 * @param isTold whether anybody is, as SQL
 */
export const enqueueNotices = (orgId: SQL, position: SQL, isTold: SQL): SQL =>
  sql`case when ${isTold}::boolean then (select job.id is not null from graphile_worker.add_job(
      '${sql.raw(tellNoticesTask)}', json_build_object('orgId', ${orgId}::text, 'position', ${position}::text)) as job)
    else true end`;
