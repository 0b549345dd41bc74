import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { computed, insertInto, pick, statement, typed } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { givenName, projectId } from '../../kernel/input/fields.ts';
import { twoWords } from '../../kernel/input/two-words.ts';
import { branchesPerProject } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { refuseOverStorage, storageOfProjects } from '../../kernel/limits/storage.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { projectKeysOf } from '../identity/shared/project-keys.ts';
import { databaseOf } from '../project-data/shared/in-project.ts';
import { insertProject } from '../projects/shared/insert-project.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';
import { insertSnapshot } from '../snapshots/shared/insert-snapshot.ts';
import { findSnapshot } from '../snapshots/shared/snapshot-row.ts';
import { type Branch, BranchWire, branchToWire, endOfBranch, findBranch, ttlDays } from './branch-row.ts';
import { branchActions } from './shared/actions.ts';

export const ofProject = ({ project }: { readonly project: string }): string => project;

/** What of a project a person has to approve. Contract 01, section 1.10. */
export const branchApproval = {
  action: 'project.branches.manage',
  field: 'project_id',
  target: ofProject,
} as const;

const action = branchActions['project:branches:manage'];

/** `POST /projects/v1/:project_id/branches`. Contract 03, section 7. */
export const createBranch = mutation({
  name: 'branches.create',
  tool: 'create_project_branch',
  command: 'branches create',
  duration: 'long',
  summary: 'Make a project of its own from another one, as it is or was, for a while and without effect outside.',
  path: 'POST /projects/v1/:project_id/branches 201',
  credentialBound: true,
  access: onProject(action, ofProject),
  lifecycle: 'owned',
  writeApproval: branchApproval,
  input: z.object({
    project: projectId,
    from_snapshot_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('A snapshot to begin from, `snap_…`; what the project is now unless named.'),
    name: givenName(200).trim().min(1).optional().describe('Name for people; made up when absent.'),
    email_mode: z
      .enum(['sandbox', 'off'])
      .default('sandbox')
      .describe('`sandbox` keeps its mails in its mailbox `sandbox`, `off` refuses them. None is ever delivered.'),
    enable_cron: z.boolean().default(false).describe('Whether schedules of its functions run.'),
    ttl_days: ttlDays,
  }),
  prepare: refuseFullStorage,
  async handler(work, { from_snapshot_id: from, name = twoWords(' '), email_mode: mail, enable_cron: cron, ttl_days }) {
    const { org, services } = work;
    const parent = await lockProjectFor(work, action);
    databaseOf({ org, project: parent });
    if (parent.branch !== null)
      throw new ServiceError('NESTED_BRANCH', { details: { parent_project_id: parent.branch.parentId } });
    await refuseOverQuota(
      work,
      countStatement.with({ parentId: parent.id }),
      { scope: 'project', metric: 'branches' },
      branchesPerProject,
    );
    const operationId = services.newId('op');
    const { id } = await insertProject(work, work, { name, branch: { parentId: parent.id, mail, cron } });
    await work.rows(
      insertStatement.with({
        orgId: org.id,
        id,
        parentId: parent.id,
        operationId,
        name,
        snapshotId: await snapshotOf(work, parent, from, operationId),
        takesSnapshot: from === undefined,
        days: ttl_days,
      }),
    );
    work.afterCommit(() => services.branchWork.wake());
    return findBranch(work.rows, { projectId: parent.id }, id);
  },
  audit: ({ id, name, parentId, branch }, { from_snapshot_id }) => ({
    action: 'branch.created',
    object: { kind: 'branch', id },
    details: { project_id: parentId, name, from_snapshot_id: from_snapshot_id ?? null, email_mode: branch?.mail },
  }),
  wire: BranchWire.extend({
    operation_id: z.string(),
    materialization_id: z.string().describe('What fills the branch; the same as the operation.'),
    anon_key: z.string().meta({ secret: true }),
    service_key: z.string().meta({ secret: true }),
  }),
  async toWire(begun: Branch, ctx) {
    const branch = await endOfBranch(ctx, begun);
    const keys = await keysOfBranch(ctx, branch);
    return {
      ...branchToWire(ctx.services, branch),
      operation_id: branch.operationId,
      materialization_id: branch.operationId,
      anon_key: keys.anonKey,
      service_key: keys.serviceKey,
    };
  },
});

/** The keys of a branch, which are good once it is there. */
export const keysOfBranch = ({ services }: Pick<Context, 'services'>, { id, projectCreatedAt }: Branch) =>
  projectKeysOf(services.keys, { id, createdAt: projectCreatedAt, transferredAt: null });

/** A branch takes as much as what it is made from. @throws QUOTA_EXCEEDED */
async function refuseFullStorage({ services, org, project }: Context & ProjectScope): Promise<void> {
  const [copied] = await storageOfProjects(services, [project]);
  await refuseOverStorage(services, org, copied!, 'The branch');
}

/** The snapshot that a branch is filled from. @throws SNAPSHOT_NOT_FOUND, SNAPSHOT_NOT_READY */
async function snapshotOf(work: Work, parent: ProjectRow, from: string | undefined, heldBy: string): Promise<string> {
  const owner = { orgId: parent.orgId, projectId: parent.id };
  if (from === undefined)
    return (await insertSnapshot(work, { ...owner, kind: 'manual', operationId: heldBy, heldBy })).id;
  const { status } = await findSnapshot(work.rows, owner, from);
  if (status !== 'ready') throw new ServiceError('SNAPSHOT_NOT_READY', { details: { snapshot_id: from, status } });
  return from;
}

const countStatement = statement(
  'branches.count',
  {
    params: pick(projectBranches, 'parentId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ parentId }, row) => sql`select ${row} from ${projectBranches}
    where ${projectBranches.parentId} = ${parentId} and ${projectBranches.status} <> 'failed'`,
);

const insertStatement = statement(
  'branches.insert',
  {
    params: {
      ...pick(projectBranches, 'orgId', 'id', 'parentId', 'operationId', 'name', 'snapshotId', 'takesSnapshot'),
      days: typed<number>('integer'),
    },
  },
  ({ days, ...given }) =>
    insertInto(projectBranches, {
      ...given,
      status: sql`'creating'`,
      dueAt: sql`now()`,
      expiresAt: sql`now() + make_interval(days => ${days})`,
    }),
);
