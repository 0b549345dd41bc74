import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type PlatformIncident, platformIncidents } from '../../db/schema/incidents.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type TouchedProject, tellProjects } from './tell-projects.ts';
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
  access: platformAdmin(),
  input: z.object({ incident: z.string().min(1).max(64).describe('Incident, `inc_…`.') }),
  async handler(work, { incident: id }): Promise<ResolvedIncident> {
    const [resolved] = await work.rows<PlatformIncident>(resolveStatement, [id]);
    const row = resolved ?? (await work.rows<PlatformIncident>(getStatement, [id]))[0];
    if (row === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { incident_id: id } });
    const projects = await work.rows<TouchedProject>(projectsStatement, [id]);
    const incident = { ...row, projectIds: projects.map(({ projectId }) => projectId) };
    if (resolved !== undefined) tellProjects(work, incident, projects);
    return { ...incident, changed: resolved !== undefined };
  },
  audit: ({ id, changed }) =>
    changed ? { action: 'incident.resolved', object: { kind: 'platform_incident', id } } : undefined,
  wire: IncidentWire,
  toWire: incidentToWire,
});

const resolveStatement: Statement = {
  name: 'incidents.resolve',
  text: `update platform_incidents i set resolved_at = now() where id = $1 and resolved_at is null
    returning ${columnsOf(platformIncidents, 'i')}`,
};

const getStatement: Statement = {
  name: 'incidents.get',
  text: `select ${columnsOf(platformIncidents, 'i')} from platform_incidents i where id = $1`,
};

const projectsStatement: Statement = {
  name: 'incidents.attributed',
  text: `select org_id as "orgId", project_id as "projectId" from platform_incident_projects
    where incident_id = $1 order by project_id`,
};
