import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { setOf, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { isProject, projectKey } from './shared/load-projects.ts';
import { lockProjectFor } from './shared/lock-project.ts';
import type { ProjectRow } from './shared/wire.ts';

/** The largest bound: as many rows as a count of 32 bits tells. */
const boundMax = 2 ** 31 - 1;

/**
 * `POST /projects/v1/:id/max-affected`. The bound holds for changes of rows by their conditions, over REST and GraphQL. A
 * request with a bound of its own is held to that one.
 */
export const setMaxAffected = mutation({
  name: 'projects.setMaxAffected',
  tool: 'set_project_max_affected',
  command: 'projects max-affected',
  effects: ['destructive', 'idempotent'],
  summary: 'Set how many rows one update or delete of a project’s rows may change; a larger one is refused.',
  // The same authority as renaming.
  access: onProject(projectActions['project:rename'], ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    rows: z.int().min(1).max(boundMax).optional().describe('The most rows. Without it, no bound is set any more.'),
  }),
  async handler(work, { rows }): Promise<{ readonly project: ProjectRow; readonly previous: number | null }> {
    const project = await lockProjectFor(work, projectActions['project:rename']);
    const maxAffected = rows ?? null;
    if (project.maxAffected !== maxAffected) {
      await work.rows(setStatement.with({ orgId: project.orgId, id: project.id, maxAffected }));
      work.afterCommit(() => forgetProjectTargets(work.services));
    }
    return { project: { ...project, maxAffected }, previous: project.maxAffected };
  },
  audit: ({ project: { id, maxAffected }, previous }) =>
    maxAffected === previous
      ? undefined
      : {
          action: 'project.max_affected_set',
          object: { kind: 'project', id },
          details: { max_affected: maxAffected, previous_max_affected: previous },
        },
  wire: z.object({ project_id: z.string(), max_affected: z.number().nullable() }),
  toWire: ({ project }) => ({ project_id: project.id, max_affected: project.maxAffected }),
});

const setStatement = statement(
  'projects.set-max-affected',
  { params: { ...projectKey, maxAffected: projects.maxAffected } },
  ({ maxAffected, ...key }) => sql`update ${projects} ${setOf(projects, { maxAffected })} where ${isProject(key)}`,
);
