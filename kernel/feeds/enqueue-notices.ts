import { type SQL, sql } from '../../db/drizzle.ts';
import { noticeRules } from '../../db/schema/notices.ts';
import { memberships } from '../../db/schema/orgs.ts';

/** The job that tells people of an event. */
export const tellNoticesTask = 'notices.tell';

/**
 * A condition, always true, that has people told of an event once the transaction that appends it is committed: where it is
 * one that they are told of, and where anybody has events of the organization told in a chat.
 *
 * @param isTold whether it is one that people are told of, as SQL
 */
export const enqueueNotices = (orgId: SQL, position: SQL, isTold: SQL): SQL =>
  sql`case when ${isTold}::boolean or exists (
      select from ${memberships} join ${noticeRules} on ${noticeRules.principalId} = ${memberships.principalId}
      where ${memberships.orgId} = ${orgId} and ${memberships.status} = 'active' and ${noticeRules.enabled})
    then (select job.id is not null from graphile_worker.add_job(
      '${sql.raw(tellNoticesTask)}', json_build_object('orgId', ${orgId}::text, 'position', ${position}::text)) as job)
    else true end`;
