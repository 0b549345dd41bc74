import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type Branch, BranchWire, branchColumns, branchesAndProjects, branchToWire } from './branch-row.ts';
import { ofProject } from './create-branch.ts';
import { branchActions } from './shared/actions.ts';

/** `GET /projects/v1/:project_id/branches`. Contract 03, section 7. */
export const listBranches = query({
  name: 'branches.list',
  tool: 'list_project_branches',
  command: 'branches list',
  summary: 'The branches of a project, newest first.',
  path: 'GET /projects/v1/:project_id/branches',
  access: onProject(branchActions['project:branches:read'], ofProject),
  input: z.object({ project: projectId }),
  handler: ({ services, project }): Promise<Branch[]> => services.db.rows(listStatement.with({ parentId: project.id })),
  wire: z.object({ branches: z.array(BranchWire) }),
  toWire: (branches, { services }) => ({ branches: branches.map((one) => branchToWire(services, one)) }),
});

// A project has a few, and those that failed are forgotten after a day.
const listStatement = statement(
  'branches.list',
  { params: pick(projectBranches, 'parentId'), row: branchColumns },
  ({ parentId }, row) => sql`select ${row} from ${branchesAndProjects}
    where ${projectBranches.parentId} = ${parentId}
    order by ${projectBranches.createdAt} desc, ${projectBranches.id} desc limit 100`,
);
