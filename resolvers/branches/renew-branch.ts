import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Branch, BranchWire, branchId, branchToWire, findBranch, ttlDays } from './branch-row.ts';
import { branchApproval, ofProject } from './create-branch.ts';
import { branchActions } from './shared/actions.ts';

/** `POST /projects/v1/:project_id/branches/:branch_id/renew`. Contract 03, section 7. */
export const renewBranch = mutation({
  name: 'branches.renew',
  tool: 'renew_project_branch',
  command: 'branches renew',
  summary: 'Keep a branch of a project for another while, counted from now on.',
  path: 'POST /projects/v1/:project_id/branches/:branch_id/renew',
  access: onProject(branchActions['project:branches:manage'], ofProject),
  lifecycle: 'owned',
  writeApproval: branchApproval,
  input: z.object({ project: projectId, branch: branchId, ttl_days: ttlDays }),
  async handler(work, { branch: id, ttl_days: days }): Promise<Branch> {
    const parent = await lockProjectFor(work, branchActions['project:branches:manage']);
    const { status } = await findBranch(work.rows, { projectId: parent.id }, id);
    if (status === 'failed') throw new ServiceError('BRANCH_NOT_ACTIVE', { details: { branch_project_id: id } });
    await work.rows(renewStatement.with({ parentId: parent.id, id, days }));
    return findBranch(work.rows, { projectId: parent.id }, id);
  },
  audit: ({ id, parentId, expiresAt }) => ({
    action: 'branch.renewed',
    object: { kind: 'branch', id },
    details: { project_id: parentId, expires_at: expiresAt.toISOString() },
  }),
  wire: BranchWire,
  toWire: (branch, { services }) => branchToWire(services, branch),
});

const renewStatement = statement(
  'branches.renew',
  { params: { ...pick(projectBranches, 'parentId', 'id'), days: typed<number>('integer') } },
  ({ parentId, id, days }) =>
    sql`update ${projectBranches} ${setOf(projectBranches, {
      expiresAt: sql`now() + make_interval(days => ${days})`,
      updatedAt: sql`now()`,
    })} where ${projectBranches.parentId} = ${parentId} and ${projectBranches.id} = ${id}`,
);
