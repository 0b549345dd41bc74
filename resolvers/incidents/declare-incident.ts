import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import {
  incidentSeverities,
  incidentSubsystems,
  platformIncidentProjects,
  platformIncidents,
} from '../../db/schema/incidents.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, insertInto, insertSelect, pick, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { oneLine, projectId, shows } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { notifyProjects } from './notify-projects.ts';
import { type DeclaredIncident, IncidentWire, incidentToWire } from './wire.ts';

/** Each is told of it in the same transaction. */
const projectsMax = 500;

/** `POST /admin/v1/incidents`. Contract 02, section 1.8. */
export const declareIncident = mutation({
  name: 'incidents.declare',
  tool: 'admin_declare_incident',
  command: 'admin incident declare',
  summary: 'Declare a fault of the platform’s, of nobody in particular or of some projects.',
  path: 'POST /admin/v1/incidents 201',
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
    const touched = ids.length === 0 ? [] : await work.rows(projectsStatement.with({ ids }));
    const absent = ids.filter((id) => !touched.some((one) => one.projectId === id));
    if (absent.length > 0) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { project_ids: absent } });
    const id = work.services.newId('inc');
    const [row] = await work.rows(declareStatement.with({ id, ...facts }));
    const attributed = { orgIds: touched.map(({ orgId }) => orgId), projectIds: touched.map((one) => one.projectId) };
    await work.rows(attributeStatement.with({ incidentId: id, ...attributed }));
    const incident = { ...row!, projectIds: ids };
    notifyProjects(work, incident, touched);
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

const projectsStatement = statement(
  'incidents.projects',
  {
    params: { ids: typed<readonly string[]>('text[]') },
    row: { orgId: projects.orgId, projectId: projects.id },
  },
  ({ ids }, row) => sql`select ${row} from ${projects}
    where ${projects.id} = any(${ids}::text[]) and ${projects.deletedAt} is null order by ${projects.id}`,
);

const declareStatement = statement(
  'incidents.declare',
  {
    params: pick(platformIncidents, 'id', 'subsystem', 'severity', 'scope', 'summary'),
    row: allOf(platformIncidents),
  },
  (given, row) => sql`${insertInto(platformIncidents, given)} returning ${row}`,
);

const attributeStatement = statement(
  'incidents.attribute',
  {
    params: {
      ...pick(platformIncidentProjects, 'incidentId'),
      orgIds: typed<readonly string[]>('uuid[]'),
      projectIds: typed<readonly string[]>('text[]'),
    },
  },
  ({ incidentId, orgIds, projectIds }) =>
    insertSelect(
      platformIncidentProjects,
      { incidentId, orgId: sql`touched.org_id`, projectId: sql`touched.project_id` },
      sql`from unnest(${orgIds}::uuid[], ${projectIds}::text[]) as touched (org_id, project_id)`,
    ),
);
