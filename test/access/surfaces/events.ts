import type { Stage, Surfaces } from './surface.ts';

export const eventSurfaces = ({ params, service }: Stage): Surfaces => {
  const incident = 'inc_open';
  const input = 'subsystem: MAIL, severity: MINOR, scope: GLOBAL, summary: "Slow."';
  return {
    'GET /projects/v1/:project_id/events': {
      cells: 'A + + + + + A +',
      field: () => `{ project(id: "${params.id}") { events { cursor } } }`,
    },
    'GET /orgs/v1/:org_id/events': {
      cells: 'A + + + N F A +',
      field: () => `{ organization(id: "${params.org_id}") { events { cursor } } }`,
    },
    'POST /projects/v1/:project_id/events': {
      cells: 'A N N F N + A F',
      body: () => ({ event_type: 'order_paid' }),
      field: () => `mutation { emitEvent(input: { project: "${params.id}", eventType: "order_paid" }) { cursor } }`,
    },
    'POST /admin/v1/incidents': {
      cells: 'A P P F P P P +',
      body: () => ({ subsystem: 'mail', severity: 'minor', scope: 'global', summary: 'Slow.' }),
      field: () => `mutation { declareIncident(input: { ${input} }) { incidentId } }`,
    },
    'POST /admin/v1/incidents/:incident_id/resolve': {
      cells: 'A P P F P P P +',
      prepare: async () => {
        await service.control.sql(
          `insert into platform_incidents (id, subsystem, severity, scope, summary)
           values ($1, 'mail', 'minor', 'global', 'Slow.') on conflict do nothing`,
          [incident],
        );
        return { incident_id: incident };
      },
      field: () => `mutation { resolveIncident(input: { incident: "${incident}" }) { incidentId } }`,
    },
  };
};
