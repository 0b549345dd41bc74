import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { oneLine, projectId } from '../../kernel/input/fields.ts';
import { mutation, type OperationNames } from '../../kernel/run/operation.ts';
import { isProject, projectKey } from './shared/load-projects.ts';
import { lockProject } from './shared/lock-project.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire } from './shared/wire.ts';

const reason = { reason: oneLine(500).optional().describe('Why, for the trail; at most 500 characters.') };

/** The two ways of one switch; setting it as it is changes nothing. Contract 01, section 6.9. */
const archiving = (to: 'archived' | 'reactivated', texts: OperationNames) =>
  mutation({
    ...texts,
    access: platformAdmin(),
    input: z.object({ project: projectId, ...reason }),
    async handler(work, { project: id }): Promise<{ readonly project: ProjectRow; readonly changed: boolean }> {
      const project = await lockProject(work, id);
      // The platform admin may see everything, so for them an absent thing is simply absent.
      if (project === undefined) throw new ServiceError('PROJECT_NOT_FOUND', { details: { project_id: id } });
      if ((project.archivedAt !== null) === (to === 'archived')) return { project, changed: false };
      const [archived] = await work.rows(
        archiveStatement.with({ orgId: project.orgId, id: project.id, archived: to === 'archived' }),
      );
      work.afterCommit(() => forgetProjectTargets(work.services));
      return { project: { ...project, ...archived }, changed: true };
    },
    audit: ({ project: { id, orgId }, changed }, { reason }) => {
      if (!changed) return undefined;
      const details = reason === undefined ? {} : { details: { reason } };
      return { action: `project.${to}`, object: { kind: 'project', id }, orgId, ...details };
    },
    wire: ProjectSummaryWire,
    toWire: ({ project }, { services }) => projectToWire(services, project),
  });

/** `POST /projects/v1/admin/:id/archive`. */
export const archiveProject = archiving('archived', {
  name: 'projects.archive',
  tool: 'admin_archive_project',
  command: 'admin archive',
  effects: ['destructive', 'idempotent'],
  summary: 'Put a project away: it is left out of lists unless they are asked for archived ones.',
});

/** `POST /projects/v1/admin/:id/reactivate`. */
export const reactivateProject = archiving('reactivated', {
  name: 'projects.reactivate',
  tool: 'admin_reactivate_project',
  command: 'admin reactivate',
  effects: ['idempotent'],
  summary: 'Take a project that was put away into use again.',
});

const archiveStatement = statement(
  'projects.archive',
  { params: { ...projectKey, archived: typed<boolean>('boolean') }, row: pick(projects, 'archivedAt') },
  ({ archived, ...key }, row) =>
    sql`update ${projects} ${setOf(projects, { archivedAt: sql`case when ${archived}::boolean then now() end` })}
      where ${isProject(key)} returning ${row}`,
);
