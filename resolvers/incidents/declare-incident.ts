import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import {
  incidentSeverities,
  incidentSubsystems,
  type PlatformIncident,
  platformIncidents,
} from '../../db/schema/incidents.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { oneLine, projectId, shows } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type TouchedProject, tellProjects } from './tell-projects.ts';
import { type DeclaredIncident, IncidentWire, incidentToWire } from './wire.ts';

/** Each is told of it in the same transaction. */
const projectsMax = 500;

/** `POST /admin/v1/incidents`. Contract 02, section 1.8. */
export const declareIncident = mutation({
  name: 'incidents.declare',
  tool: 'admin_declare_incident',
  command: 'admin incident declare',
  summary: 'Declare a fault of the platform’s, of nobody in particular or of some projects.',
  access: platformAdmin(),
  input: z.object({
    subsystem: z.enum(incidentSubsystems).describe('What does not work as it should.'),
    severity: z.enum(incidentSeverities).describe('How bad it is.'),
    scope: z
      .enum(['global', 'projects'])
      .describe('`global` shows on every page of events while it is open; `projects` is told to those it names.'),
    project_ids: z
      .array(projectId)
      .max(projectsMax, `at most ${projectsMax} projects`)
      .optional()
      .describe('Projects it is attributed to; of the scope `projects` alone.'),
    summary: oneLine(500)
      .refine((text) => shows.test(text), 'must not be blank')
      .describe('What is known, in one line of at most 500 characters.'),
  }),
  async handler(work, { project_ids: named = [], ...facts }): Promise<DeclaredIncident> {
    const ids = [...new Set(named)].sort();
    if ((facts.scope === 'global') !== (ids.length === 0))
      throw invalidField('project_ids', 'names the projects of the scope projects, and none of the scope global');
    const projects = ids.length === 0 ? [] : await work.rows<TouchedProject>(projectsStatement, [ids]);
    const absent = ids.filter((id) => !projects.some((one) => one.projectId === id));
    if (absent.length > 0) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { project_ids: absent } });
    const id = work.services.newId('inc');
    const [row] = await work.rows<PlatformIncident>(declareStatement, [
      id,
      facts.subsystem,
      facts.severity,
      facts.scope,
      facts.summary,
    ]);
    await work.rows(attributeStatement, [id, projects.map(({ orgId }) => orgId), projects.map((one) => one.projectId)]);
    const incident = { ...row!, projectIds: ids };
    tellProjects(work, incident, projects);
    return incident;
  },
  audit: ({ id, subsystem, severity, scope, projectIds }) => ({
    action: 'incident.declared',
    object: { kind: 'platform_incident', id },
    details: { subsystem, severity, scope, project_ids: projectIds },
  }),
  wire: IncidentWire,
  toWire: incidentToWire,
});

const projectsStatement: Statement = {
  name: 'incidents.projects',
  text: `select org_id as "orgId", id as "projectId" from projects
    where id = any($1::text[]) and deleted_at is null order by id`,
};

const declareStatement: Statement = {
  name: 'incidents.declare',
  text: `insert into platform_incidents as i (id, subsystem, severity, scope, summary) values ($1, $2, $3, $4, $5)
    returning ${columnsOf(platformIncidents, 'i')}`,
};

const attributeStatement: Statement = {
  name: 'incidents.attribute',
  text: `insert into platform_incident_projects (incident_id, org_id, project_id)
    select $1, * from unnest($2::uuid[], $3::text[])`,
};
