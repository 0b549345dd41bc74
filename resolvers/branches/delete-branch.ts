import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import { beginDeletion, endDeletion } from '../projects/shared/begin-deletion.ts';
import { lockProject, lockProjectFor } from '../projects/shared/lock-project.ts';
import { branchId, findBranch } from './branch-row.ts';
import { branchApproval, ofProject } from './create-branch.ts';
import { branchDeleted, forgetBranch } from './forget-branches.ts';
import { branchActions } from './shared/actions.ts';

/** A branch that is gone. */
export interface DeletedBranch {
  readonly id: string;
}

/** `DELETE /projects/v1/:project_id/branches/:branch_id`. Contract 03, section 7. */
export const deleteBranch = stepMutation({
  name: 'branches.delete',
  tool: 'delete_project_branch',
  command: 'branches delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a branch of a project with all that is in it, for good. One that is being made is ended.',
  path: 'DELETE /projects/v1/:project_id/branches/:branch_id',
  access: onProject(branchActions['project:branches:manage'], ofProject),
  lifecycle: 'owned',
  writeApproval: branchApproval,
  input: z.object({ project: projectId, branch: branchId }),
  steps: {
    async begin(work, { branch: id }) {
      const parent = await lockProjectFor(work, branchActions['project:branches:manage']);
      const branch = await findBranch(work.rows, { projectId: parent.id }, id);
      const audit = {
        action: 'branch.deleted',
        object: { kind: 'branch', id },
        details: { project_id: parent.id, name: branch.name },
      };
      const project = await lockProject(work, id);
      if (project === undefined) {
        // It could not be made, and its project is gone already.
        await forgetBranch(work, branch);
        const [place] = await work.rows(placeStatement.with({ orgId: branch.orgId, id }));
        return { ref: { orgId: branch.orgId, projectId: id, ...place! }, orgId: branch.orgId, audit };
      }
      work.append(branchDeleted(branch, 'asked'));
      return { ...(await beginDeletion(work, project)), audit };
    },
    effect: ({ services }, ref) => services.projectDatabases.drop(ref as unknown as ProjectDatabase),
    settle: async (work, ref): Promise<DeletedBranch> => ({ id: (await endDeletion(work, ref)).id }),
  },
  wire: z.object({ status: z.literal('deleted'), branch_project_id: z.string() }),
  toWire: ({ id }) => ({ status: 'deleted' as const, branch_project_id: id }),
});

const placeStatement = statement(
  'branches.place',
  { params: pick(projectBranches, 'orgId', 'id'), row: pick(projects, 'server', 'databaseName', 'roleName') },
  ({ orgId, id }, row) => sql`select ${row} from ${projects}
    where ${projects.orgId} = ${orgId} and ${projects.id} = ${id}`,
);
