import { alias, type Column, type SQL, sql } from '../../../db/drizzle.ts';
import { momentText } from '../../../db/moment-text.ts';
import { type PlatformIncident, platformIncidentProjects, platformIncidents } from '../../../db/schema/incidents.ts';
import { from } from '../../../db/sql.ts';

/** An incident of nobody in particular that is open, as readers of feeds are told of it. Contract 02, section 1.2. */
export interface OpenIncident extends Pick<PlatformIncident, 'id' | 'subsystem' | 'severity' | 'summary'> {
  readonly scope: 'global';
  readonly status: 'ongoing';
  /** ISO 8601. */
  readonly started_at: string;
}

const i = alias(platformIncidents, 'i');
const t = alias(platformIncidentProjects, 't');

const ofNobody = sql`from ${from(i)} where ${i.resolvedAt} is null and ${i.scope} = 'global'`;

/** Those that are open now as one list of {@link OpenIncident}, newest first; null when there is none. */
export const openIncidents = sql`select json_agg(json_build_object('id', ${i.id}, 'subsystem', ${i.subsystem},
      'severity', ${i.severity}, 'scope', ${i.scope}, 'status', 'ongoing', 'summary', ${i.summary},
      'started_at', ${sql.raw(momentText('"i"."started_at"'))})
      order by ${i.startedAt} desc, ${i.id}) ${ofNobody}`;

/** Whether an open incident is attributed to a project, or, for null, to any of an organization's. */
export const isTouched = (orgId: SQL | Column, projectId: SQL): SQL => sql`exists (
    select from ${from(i)} join ${from(t)} on ${t.incidentId} = ${i.id}
    where ${i.resolvedAt} is null and ${t.orgId} = ${orgId} and (${projectId}::text is null or ${t.projectId} = ${projectId}))`;

/** Whether an open incident is of everybody, or attributed to a project of an organization. */
export const isDegraded = (orgId: SQL | Column): SQL =>
  sql`(exists (select ${ofNobody}) or ${isTouched(orgId, sql`null`)})`;
