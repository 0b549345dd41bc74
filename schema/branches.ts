import { type Branch, branchActionsOf, dataFrom, endOfBranch, urlOfBranch } from '../resolvers/branches/branch-row.ts';
import { createBranch, keysOfBranch } from '../resolvers/branches/create-branch.ts';
import { deleteBranch } from '../resolvers/branches/delete-branch.ts';
import { listBranches } from '../resolvers/branches/list-branches.ts';
import { renewBranch } from '../resolvers/branches/renew-branch.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const BranchStatusEnum = builder.enumType('ProjectBranchStatus', {
  description: 'How a branch stands.',
  values: {
    CREATING: { value: 'creating', description: 'It is being made.' },
    ACTIVE: { value: 'active', description: 'It is there.' },
    FAILED: { value: 'failed', description: 'It could not be made.' },
  } as const,
});

const EmailModeEnum = builder.enumType('BranchEmailMode', {
  description: 'What becomes of the mails of a branch. None is ever delivered.',
  values: {
    SANDBOX: { value: 'sandbox', description: 'They are kept in its mailbox `sandbox`.' },
    OFF: { value: 'off', description: 'They are refused.' },
  } as const,
});

const BranchRef = builder.objectRef<Branch>('ProjectBranch').implement({
  description: 'A project that was made from another one for a while.',
  fields: (t) => ({
    branchProjectId: t.exposeString('id', { description: 'Native id of its own project, `prj_…`.' }),
    parentProjectId: t.exposeString('parentId', { description: 'The project that it was made from.' }),
    name: t.exposeString('name', { description: 'Name for people.' }),
    branchUrl: t.string({
      nullable: true,
      description: 'Where it is served; null until it is there.',
      resolve: (branch, _args, { services }) => urlOfBranch(services, branch),
    }),
    status: t.expose('status', { type: BranchStatusEnum, description: 'How it stands.' }),
    emailMode: t.field({
      type: EmailModeEnum,
      description: 'What becomes of its mails.',
      resolve: ({ branch }) => branch?.mail ?? ('sandbox' as const),
    }),
    enableCron: t.boolean({
      description: 'Whether schedules of its functions run.',
      resolve: ({ branch }) => branch?.cron ?? false,
    }),
    fromSnapshotId: t.string({
      nullable: true,
      description: 'The snapshot that it was made from; null: what the project was then.',
      resolve: (branch) => dataFrom(branch).snapshotId,
    }),
    capturedAt: t.expose('capturedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its data was as it began.',
    }),
    parentReleaseId: t.exposeString('parentReleaseId', {
      nullable: true,
      description: 'The release of the project that it began with.',
    }),
    branchReleaseId: t.exposeString('branchReleaseId', {
      nullable: true,
      description: 'Its own copy of that release.',
    }),
    error: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Why it could not be made: a code and a message.',
      resolve: ({ error }) => (error === null ? null : { ...error }),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it is deleted.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done with it now.',
      resolve: (branch) => branchActionsOf(branch),
    }),
  }),
});

builder.objectField(ProjectRef, 'branches', (t) =>
  t.field({
    type: [BranchRef],
    nullable: true,
    ...fieldOf(listBranches),
    resolve: ({ id }, _args, ctx) => run(listBranches, ctx, { project: id }),
  }),
);

const CreatedBranchRef = builder.objectRef<Branch>('CreateProjectBranchPayload').implement({
  description: 'A branch with the keys to it.',
  fields: (t) => ({
    branch: t.field({ type: BranchRef, description: 'The branch.', resolve: (branch) => branch }),
    operationId: t.exposeString('operationId', { description: 'What makes it, `op_…`.' }),
    anonKey: t.string({
      description: 'Key for its visitors.',
      resolve: async (branch, _args, ctx) => (await keysOfBranch(ctx, branch)).anonKey,
    }),
    serviceKey: t.string({
      description: 'Key for its servers.',
      resolve: async (branch, _args, ctx) => (await keysOfBranch(ctx, branch)).serviceKey,
    }),
  }),
});

changeField('createProjectBranch', createBranch, {
  type: CreatedBranchRef,
  input: 'A branch to make.',
  argument: 'The project, and how the branch is to be.',
  types: { email_mode: EmailModeEnum },
  // It is answered once it is there, or has taken 45 seconds: it goes on by itself.
  result: (branch, ctx) => endOfBranch(ctx, branch),
});

changeField('renewProjectBranch', renewBranch, {
  type: BranchRef,
  input: 'A branch to keep.',
  argument: 'The branch, and for how long.',
});

changeField('deleteProjectBranch', deleteBranch, {
  type: builder.objectRef<{ readonly id: string }>('DeleteProjectBranchPayload').implement({
    description: 'A branch that is gone.',
    fields: (t) => ({ branchProjectId: t.exposeString('id', { description: 'The id that its project had.' }) }),
  }),
  input: 'A branch to delete.',
  argument: 'The branch.',
});
