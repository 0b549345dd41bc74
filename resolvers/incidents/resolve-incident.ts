import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { platformIncidentProjects, platformIncidents } from '../../db/schema/incidents.ts';
import { allOf, pick, setOf, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { notifyProjects } from './notify-projects.ts';
import { type DeclaredIncident, IncidentWire, incidentToWire } from './wire.ts';

/** An incident, and whether this call is what ended it. */
export interface ResolvedIncident extends DeclaredIncident {
  readonly changed: boolean;
}

/** `POST /admin/v1/incidents/:id/resolve`: of one that is over already, as it is. Contract 02, section 1.8. */
export const resolveIncident = mutation({
  name: 'incidents.resolve',
  tool: 'admin_resolve_incident',
  command: 'admin incident resolve',
  effects: ['idempotent'],
  summary: 'Say that a fault of the platform’s is over.',
  path: 'POST /admin/v1/incidents/:incident_id/resolve',
  access: platformAdmin(),
  input: z.object({ incident: z.string().min(1).max(64).describe('Incident, `inc_…`.') }),
  async handler(work, { incident: id }): Promise<ResolvedIncident> {
    const [resolved] = await work.rows(resolveStatement.with({ id }));
    const row = resolved ?? (await work.rows(getStatement.with({ id })))[0];
    if (row === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { incident_id: id } });
    const projects = await work.rows(projectsStatement.with({ incidentId: id }));
    const incident = { ...row, projectIds: projects.map(({ projectId }) => projectId) };
    if (resolved !== undefined) notifyProjects(work, incident, projects);
    return { ...incident, changed: resolved !== undefined };
  },
  audit: ({ id, changed }) =>
    changed ? { action: 'incident.resolved', object: { kind: 'platform_incident', id } } : undefined,
  wire: IncidentWire,
  toWire: incidentToWire,
});

const resolveStatement = statement(
  'incidents.resolve',
  { params: pick(platformIncidents, 'id'), row: allOf(platformIncidents) },
  ({ id }, row) => sql`update ${platformIncidents} ${setOf(platformIncidents, { resolvedAt: sql`now()` })}
    where ${platformIncidents.id} = ${id} and ${platformIncidents.resolvedAt} is null returning ${row}`,
);

const getStatement = statement(
  'incidents.get',
  { params: pick(platformIncidents, 'id'), row: allOf(platformIncidents) },
  ({ id }, row) => sql`select ${row} from ${platformIncidents} where ${platformIncidents.id} = ${id}`,
);

const projectsStatement = statement(
  'incidents.attributed',
  {
    params: pick(platformIncidentProjects, 'incidentId'),
    row: pick(platformIncidentProjects, 'orgId', 'projectId'),
  },
  ({ incidentId }, row) => sql`select ${row} from ${platformIncidentProjects}
    where ${platformIncidentProjects.incidentId} = ${incidentId} order by ${platformIncidentProjects.projectId}`,
);
