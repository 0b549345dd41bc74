import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { setOf, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { givenName, projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { isProject, projectKey } from './shared/load-projects.ts';
import { lockProjectFor } from './shared/lock-project.ts';
import type { ProjectRow } from './shared/wire.ts';

/** `PATCH /projects/v1/:id`. Contract 01, section 5.6. */
export const renameProject = mutation({
  name: 'projects.rename',
  tool: 'rename_project',
  command: 'projects rename',
  effects: ['destructive', 'idempotent'],
  summary: 'Give a project another name for people.',
  access: onProject(projectActions['project:rename'], ({ project }: { project: string }) => project),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    name: givenName(200).trim().min(1).describe('Name for people, at most 200 characters.'),
  }),
  async handler(work, { name }): Promise<{ readonly project: ProjectRow; readonly previousName: string }> {
    const project = await lockProjectFor(work, projectActions['project:rename']);
    if (project.name !== name) await work.rows(renameStatement.with({ ...project, name }));
    return { project: { ...project, name }, previousName: project.name };
  },
  audit: ({ project: { id, name }, previousName }) =>
    name === previousName
      ? undefined
      : { action: 'project.renamed', object: { kind: 'project', id }, details: { name, previous_name: previousName } },
  wire: z.object({ project_id: z.string(), name: z.string() }),
  toWire: ({ project }) => ({ project_id: project.id, name: project.name }),
});

const renameStatement = statement(
  'projects.rename',
  { params: { ...projectKey, name: projects.name } },
  ({ name, ...key }) => sql`update ${projects} ${setOf(projects, { name })} where ${isProject(key)}`,
);
