import { declareIncident } from '../resolvers/incidents/declare-incident.ts';
import { resolveIncident } from '../resolvers/incidents/resolve-incident.ts';
import { route } from './route.ts';

/** Paths by which the platform admin tells of the platform's own faults. Contract 02, section 1.8. */
export const incidentRoutes = [
  route('POST', '/admin/v1/incidents', 201, declareIncident, ({ body }) => ({
    subsystem: body.subsystem,
    severity: body.severity,
    scope: body.scope,
    project_ids: body.project_ids,
    summary: body.summary,
  })),
  route('POST', '/admin/v1/incidents/:incident_id/resolve', 200, resolveIncident, ({ params }) => ({
    incident: params.incident_id,
  })),
];
