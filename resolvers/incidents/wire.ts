import { z } from 'zod';
import { incidentSeverities, incidentSubsystems, type PlatformIncident } from '../../db/schema/incidents.ts';

/** An incident with the projects it is attributed to. */
export interface DeclaredIncident extends PlatformIncident {
  readonly projectIds: readonly string[];
}

/** Contract 02, section 1.8. */
export const IncidentWire = z
  .object({
    id: z.string(),
    subsystem: z.enum(incidentSubsystems),
    severity: z.enum(incidentSeverities),
    scope: z.enum(['global', 'projects']),
    project_ids: z.array(z.string()),
    status: z.enum(['ongoing', 'resolved']),
    summary: z.string(),
    started_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Incident' });

export const statusOf = ({ resolvedAt }: Pick<PlatformIncident, 'resolvedAt'>): 'ongoing' | 'resolved' =>
  resolvedAt === null ? 'ongoing' : 'resolved';

export const incidentToWire = (incident: DeclaredIncident): z.infer<typeof IncidentWire> => ({
  id: incident.id,
  subsystem: incident.subsystem,
  severity: incident.severity,
  scope: incident.scope,
  project_ids: [...incident.projectIds],
  status: statusOf(incident),
  summary: incident.summary,
  started_at: incident.startedAt.toISOString(),
  resolved_at: incident.resolvedAt?.toISOString() ?? null,
});
