import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { projects } from '../../../db/schema/projects.ts';
import { pick, statement } from '../../../db/sql.ts';
import { notAuthorized, type ProjectScope } from '../../../kernel/access/access.ts';
import { holdRight } from '../../../kernel/access/hold-right.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { projectColumns, projectsAndOrgs } from './load-projects.ts';
import type { ProjectRow } from './wire.ts';

/**
 * A project with its row locked until the change is committed, so that changes of one project happen one after the
 * other; undefined when it was deleted since the caller was admitted.
 */
export async function lockProject(work: Work, projectId: string): Promise<ProjectRow | undefined> {
  const [project] = await work.rows(lockStatement.with({ id: projectId }));
  return project;
}

/**
 * Locks the project that the caller was admitted to, and looks again whether it still is: what was right at the door may
 * have ended while the lock was waited for.
 *
 * @throws NOT_AUTHORIZED, to the project's own key PROJECT_NOT_FOUND
 */
export async function lockProjectFor(work: Work & ProjectScope, action: Action): Promise<ProjectRow> {
  const project = await lockProject(work, work.project.id);
  // What was handed over meanwhile is not there for whoever asked.
  if (project?.orgId !== work.org.id) {
    throw work.authority.kind === 'service_key' || work.authority.kind === 'anon_key'
      ? new ServiceError('PROJECT_NOT_FOUND')
      : notAuthorized(action, 'project_not_found');
  }
  await holdRight(work, action);
  return project;
}

const lockStatement = statement(
  'projects.lock',
  { params: pick(projects, 'id'), row: projectColumns },
  ({ id }, row) => sql`select ${row} from ${projectsAndOrgs}
    where ${projects.id} = ${id} and ${projects.deletedAt} is null for update of ${projects}`,
);
