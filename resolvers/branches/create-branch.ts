import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { givenName, projectId } from '../../kernel/input/fields.ts';
import { twoWords } from '../../kernel/input/two-words.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { projectKeysOf } from '../identity/shared/project-keys.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Branch, BranchWire, branchToWire, endOfBranch, findBranch, ttlDays } from './branch-row.ts';
import { branchActions } from './shared/actions.ts';
import { beginBranch, refuseFullStorage } from './shared/begin-branch.ts';

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
  async handler(
    work,
    { from_snapshot_id: from, name = twoWords(' '), email_mode: mail, enable_cron: cron, ttl_days: days },
  ) {
    const parent = await lockProjectFor(work, action);
    const id = await beginBranch(work, parent, { name, mail, cron, days, from });
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
