import { declareIncident } from '../resolvers/incidents/declare-incident.ts';
import { resolveIncident } from '../resolvers/incidents/resolve-incident.ts';
import { route } from './route.ts';

/** Paths by which the platform admin tells of the platform's own faults. Contract 02, section 1.8. */
export const incidentRoutes = [
  route('POST', '/admin/v1/incidents', 201, declareIncident),
  route('POST', '/admin/v1/incidents/:incident_id/resolve', 200, resolveIncident),
];
