import { domain } from '../../kernel/run/domain.ts';
import { declareIncident } from './declare-incident.ts';
import { incidentEvents } from './event-types.ts';
import { listIncidents } from './list-incidents.ts';
import { resolveIncident } from './resolve-incident.ts';

export const incidents = domain('incidents', {
  events: incidentEvents,
  operations: [declareIncident, resolveIncident, listIncidents],
});
