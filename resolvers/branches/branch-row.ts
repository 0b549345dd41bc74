import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { branchStatuses, projectBranches } from '../../db/schema/branches.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { wholeNumberFrom } from '../../kernel/input/fields.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { hostOfProject } from '../hosts/shared/host-urls.ts';
import { originOfHost } from '../projects/shared/project-hosts.ts';

/** A branch with what its project says of it: what a statement selects from {@link branchesAndProjects}. */
export const branchColumns = {
  ...allOf(projectBranches, ['dueAt', 'lease', 'attempts']),
  ...pick(projects, 'publicId', 'branch'),
  projectCreatedAt: projects.createdAt,
};

/** What whoever makes a branch knows of it. */
export const filledColumns = allOf(projectBranches, ['dueAt', 'lease']);

export type FilledBranch = RowOf<typeof filledColumns>;

export const branchesAndProjects = sql`${projectBranches} join ${projects} on ${projects.orgId} = ${projectBranches.orgId}
  and ${projects.id} = ${projectBranches.id}`;

export type Branch = RowOf<typeof branchColumns>;

export const branchId = z.string().min(1).max(80).describe('The branch, by the id of its own project, `prj_…`.');

/** Days until a branch is deleted. */
export const ttlDays = wholeNumberFrom(1, 30)
  .default(7)
  .describe('Days until the branch is deleted, 1 to 30, from now on: 7 unless told.');

/** A branch as it is answered. Contract 03, section 7. */
export const BranchWire = z
  .object({
    branch_project_id: z.string(),
    parent_project_id: z.string(),
    name: z.string(),
    branch_url: z.string().nullable(),
    subdomain: z.string().nullable(),
    status: z.enum(branchStatuses),
    email_mode: z.enum(['sandbox', 'off']),
    enable_cron: z.boolean(),
    data_from: z.object({ snapshot_id: z.string().nullable(), captured_at: z.iso.datetime().nullable() }),
    release: z.object({ parent_release_id: z.string().nullable(), branch_release_id: z.string().nullable() }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    expires_at: z.iso.datetime().describe('It is deleted then.'),
    created_at: z.iso.datetime(),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'ProjectBranch' });

/** Where a branch is served: null where it is not, or not yet. */
export const urlOfBranch = (services: Pick<Services, 'settings'>, { status, publicId }: Branch): string | null =>
  status === 'active' ? originOfHost(services, hostOfProject(services, publicId)) : null;

/** What its data is from. The snapshot that was taken for the branch alone is gone. */
export const dataFrom = ({ takesSnapshot, snapshotId, capturedAt }: Branch) => ({
  snapshotId: takesSnapshot ? null : snapshotId,
  capturedAt,
});

export const branchToWire = (services: Pick<Services, 'settings'>, one: Branch): z.output<typeof BranchWire> => ({
  branch_project_id: one.id,
  parent_project_id: one.parentId,
  name: one.name,
  branch_url: urlOfBranch(services, one),
  // Names that were claimed stay with the project that has them.
  subdomain: null,
  status: one.status,
  email_mode: one.branch?.mail ?? 'sandbox',
  enable_cron: one.branch?.cron ?? false,
  data_from: { snapshot_id: dataFrom(one).snapshotId, captured_at: one.capturedAt?.toISOString() ?? null },
  release: { parent_release_id: one.parentReleaseId, branch_release_id: one.branchReleaseId },
  error: one.error,
  expires_at: one.expiresAt.toISOString(),
  created_at: one.createdAt.toISOString(),
  next_actions: branchActionsOf(one),
});

/** What may be done with a branch now. */
export function branchActionsOf({ id, parentId, status }: Pick<Branch, 'id' | 'parentId' | 'status'>) {
  const all = `/projects/v1/${parentId}/branches`;
  const discard = { type: 'discard_branch', method: 'DELETE', path: `${all}/${id}` };
  if (status === 'creating') return [{ type: 'poll', method: 'GET', path: all }, discard];
  if (status === 'failed') return [discard];
  return [
    {
      type: 'set_secrets',
      method: 'POST',
      path: `/projects/v1/admin/${id}/secrets`,
      why: 'A branch has none. Its rows are copies: they may hold credentials that are good.',
    },
    { type: 'renew_branch', method: 'POST', path: `${all}/${id}/renew` },
    discard,
  ];
}

/** @throws BRANCH_NOT_FOUND */
export async function findBranch(rows: Rows, owner: { readonly projectId: string }, id: string): Promise<Branch> {
  const [found] = await rows(findStatement.with({ parentId: owner.projectId, id }));
  if (found === undefined) throw new ServiceError('BRANCH_NOT_FOUND', { details: { branch_project_id: id } });
  return found;
}

/** The branch once it is there, or as it stands after a while: it goes on by itself. */
export function endOfBranch(ctx: Context, begun: Branch): Promise<Branch> {
  const named = { parentId: begun.parentId, id: begun.id };
  return lookUntil(
    ctx,
    async () => (await ctx.services.db.rows(findStatement.with(named)))[0] ?? begun,
    ({ status }) => status !== 'creating',
  );
}

const findStatement = statement(
  'branches.find',
  { params: pick(projectBranches, 'parentId', 'id'), row: branchColumns },
  ({ parentId, id }, row) => sql`select ${row} from ${branchesAndProjects}
    where ${projectBranches.parentId} = ${parentId} and ${projectBranches.id} = ${id}`,
);
