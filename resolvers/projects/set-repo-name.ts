import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { projects } from '../../db/schema/projects.ts';
import { setOf, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { addressForm, projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { isProject, projectKey } from './shared/load-projects.ts';
import { lockProjectFor } from './shared/lock-project.ts';
import type { ProjectRow } from './shared/wire.ts';

/** `POST /projects/v1/:id/repo-name`. Contract 01, section 5.7. */
export const setRepoName = mutation({
  name: 'projects.setRepoName',
  tool: 'set_project_repo_name',
  command: 'projects repo-name',
  effects: ['destructive', 'idempotent'],
  summary: 'Give a project the address form that its repository goes by, unique in the organization.',
  // The same authority as renaming.
  access: onProject(projectActions['project:rename'], ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    name: addressForm(63).describe('At most 63 lower-case letters, digits and single hyphens between them.'),
  }),
  async handler(work, { name }): Promise<{ readonly project: ProjectRow; readonly previousRepoName: string | null }> {
    const project = await lockProjectFor(work, projectActions['project:rename']);
    if (project.repoName !== name) await claim(work, project, name);
    return { project: { ...project, repoName: name }, previousRepoName: project.repoName };
  },
  audit: ({ project: { id, repoName }, previousRepoName }) =>
    repoName === previousRepoName
      ? undefined
      : {
          action: 'project.repo_name_set',
          object: { kind: 'project', id },
          details: { repo_name: repoName, previous_repo_name: previousRepoName },
        },
  wire: z.object({ project_id: z.string(), repo_name: z.string(), previous_repo_name: z.string().nullable() }),
  toWire: ({ project, previousRepoName }) => ({
    project_id: project.id,
    repo_name: project.repoName!,
    previous_repo_name: previousRepoName,
  }),
});

/** Who has a name is decided by the unique index, never by looking first. @throws REPO_NAME_TAKEN */
async function claim(work: Work, project: ProjectRow, name: string): Promise<void> {
  try {
    await work.rows(claimStatement.with({ orgId: project.orgId, id: project.id, repoName: name }));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ServiceError('REPO_NAME_TAKEN', { details: { field: 'name', repo_name: name } });
  }
}

const claimStatement = statement(
  'projects.claim-repo-name',
  { params: { ...projectKey, repoName: projects.repoName } },
  ({ repoName, ...key }) => sql`update ${projects} ${setOf(projects, { repoName })} where ${isProject(key)}`,
);
