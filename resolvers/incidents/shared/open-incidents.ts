import { momentText } from '../../../db/moment-text.ts';
import type { PlatformIncident } from '../../../db/schema/incidents.ts';

/** An incident of nobody in particular that is open, as readers of feeds are told of it. Contract 02, section 1.2. */
export interface OpenIncident extends Pick<PlatformIncident, 'id' | 'subsystem' | 'severity' | 'summary'> {
  readonly scope: 'global';
  readonly status: 'ongoing';
  /** ISO 8601. */
  readonly started_at: string;
}

/** Those that are open now as one list of {@link OpenIncident}, newest first; null when there is none. */
export const openIncidentsSql = `select json_agg(json_build_object('id', i.id, 'subsystem', i.subsystem,
      'severity', i.severity, 'scope', i.scope, 'status', 'ongoing', 'summary', i.summary,
      'started_at', ${momentText('i.started_at')})
      order by i.started_at desc, i.id)
    from platform_incidents i where i.resolved_at is null and i.scope = 'global'`;

/** Whether an open incident is of everybody, or attributed to a project of an organization. The argument is SQL. */
export const degradedSql = (orgId: string): string => `(exists (
    select from platform_incidents i where i.resolved_at is null and i.scope = 'global') or ${touchedSql(orgId, 'null')})`;

/** Whether an open incident is attributed to a project, or, for null, to any of an organization's. Arguments are SQL. */
export const touchedSql = (orgId: string, projectId: string): string => `exists (
    select from platform_incidents i join platform_incident_projects t on t.incident_id = i.id
    where i.resolved_at is null and t.org_id = ${orgId} and (${projectId}::text is null or t.project_id = ${projectId}))`;
