import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { incidentEvents } from './event-types.ts';
import { type DeclaredIncident, statusOf } from './wire.ts';

export interface TouchedProject {
  readonly orgId: string;
  readonly projectId: string;
}

/**
 * Tells each project that an incident is attributed to how it stands, once for each standing. The impact of what somebody
 * declared is not counted.
 */
export function notifyProjects(work: Work, incident: DeclaredIncident, projects: readonly TouchedProject[]): void {
  const status = statusOf(incident);
  for (const { orgId, projectId } of projects)
    work.append(
      appendEvent({
        orgId,
        projectId,
        type: incidentEvents.platform_incident,
        payload: {
          incident_id: incident.id,
          subsystem: incident.subsystem,
          severity: incident.severity,
          scope: incident.scope,
          status,
          started_at: incident.startedAt.toISOString(),
          resolved_at: incident.resolvedAt?.toISOString() ?? null,
          summary: incident.summary,
          impact: { count: null },
        },
        onceKey: `incident:${incident.id}:${projectId}:${status}`,
      }),
    );
  work.afterCommit(() => work.services.incidents.changed());
}
