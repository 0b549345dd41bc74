import { z } from 'zod';
import { checkUsage } from '../../core/error-codes.ts';
import { incidentSeverities, incidentSubsystems } from '../../db/schema/incidents.ts';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const incidentEvents = events({
  platform_incident: event({
    class: 'platform_incident',
    title: 'An incident of the platform',
    notice: 'critical',
    level: 'any',
    payload: z.object({
      incident_id: z.string(),
      subsystem: z.enum(incidentSubsystems),
      severity: z.enum(incidentSeverities),
      scope: z.enum(['global', 'projects']),
      status: z.enum(['ongoing', 'resolved']),
      started_at: z.iso.datetime(),
      resolved_at: z.iso.datetime().nullable(),
      summary: z.string(),
      /** Invocations of the project that the platform made fail; null for a declared impact. */
      impact: z.object({ count: z.int().min(0).nullable() }),
    }),
    nextActions: ({ orgId, projectId }) => [
      {
        type: 'poll',
        method: 'GET',
        path: `${projectId === null ? `/orgs/v1/${orgId}` : `/projects/v1/${projectId}`}/events?event_type=platform_incident`,
      },
      {
        ...checkUsage,
        ...(projectId === null ? {} : { command: `svc errors --project ${projectId}` }),
        why: 'See what failed meanwhile.',
      },
    ],
  }),
});
