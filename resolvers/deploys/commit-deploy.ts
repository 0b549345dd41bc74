import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectRestores } from '../../db/schema/snapshots.ts';
import { pick, statement } from '../../db/sql.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { cursorNow } from '../events/shared/cursor-now.ts';
import { pollAfter } from '../events/shared/poll-after.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { OperationActorWire } from '../projects/shared/wire.ts';
import { beginDeploy } from './begin-deploy.ts';
import { baseConflict } from './computed-plan.ts';
import {
  type DeployOperation,
  deployErrorWire,
  edgeOf,
  edgeWire,
  findOperation,
  isPlanned,
  restorePointOf,
  restorePointWire,
  statusInShort,
} from './deploy-operation.ts';
import { findLive } from './live-release.ts';
import { requiredPlan } from './required-plan.ts';
import { deployActions } from './shared/actions.ts';
import { sought } from './shared/on-deploy.ts';
import { type PlanToCommit, planToCommit } from './shared/plan-to-commit.ts';

interface CommittedDeploy {
  readonly operation: DeployOperation;
  /** Behind which its activation is told. */
  readonly cursor: string;
  readonly isRepeated: boolean;
}

interface Prepared extends Pick<PlanToCommit, 'operation' | 'computed'> {
  readonly cursor: string;
}

/** `POST /apply/v1/plans/:plan_id/commit`. Contract 03, section 2.4. */
export const commitDeploy = mutation({
  name: 'deploys.commit',
  tool: 'deploy_commit',
  command: 'deploy apply',
  summary: 'Make a plan the live release: check it once more, and begin to apply it.',
  effects: ['destructive', 'idempotent'],
  access: onProjectOf(
    deployActions['project:deploys:write'],
    sought.plan,
    ({ plan }: { readonly plan: string }) => plan,
  ),
  lifecycle: 'owned',
  writeApproval: { action: 'project.deploy', field: 'project_id', target: (_input, scope) => scope?.project?.id },
  input: z.object({
    plan: z.string().min(1).max(64).describe('The plan, `plan_…`.'),
    required_plan: requiredPlan.optional().describe('The reviewed plan that this one has to be.'),
  }),
  async prepare(ctx, { plan, required_plan }): Promise<Prepared> {
    const { operation, computed } = await planToCommit(ctx, plan, required_plan);
    return { operation, computed, cursor: await cursorNow(ctx) };
  },
  async handler(work, _input, { computed, operation, cursor }): Promise<CommittedDeploy> {
    if (computed === undefined) return { operation, cursor, isRepeated: true };
    await lockProjectFor(work, deployActions['project:deploys:write']);
    const owner = { orgId: work.org.id, projectId: work.project.id };
    const now = (await findOperation(work.rows, owner, operation.id))!;
    if (!isPlanned(now)) return { operation: now, cursor, isRepeated: true };
    const [restoring] = await work.rows(restoringStatement.with({ projectId: owner.projectId }));
    if (restoring !== undefined) throw new ServiceError('RESTORE_CONFLICT', { retryAfter: 5 });
    const live = await findLive(work.rows, owner);
    if (live.releaseId !== computed.live.releaseId) throw baseConflict(computed.live.releaseId, live.releaseId);
    return { operation: await beginDeploy(work, now, computed), cursor, isRepeated: false };
  },
  audit: ({ operation, isRepeated }, _input, { project }) =>
    isRepeated
      ? undefined
      : {
          action: 'deploy.committed',
          object: { kind: 'deploy', id: operation.id },
          details: { project_id: project.id, plan_id: operation.planId, release_id: operation.targetReleaseId },
        },
  wire: z.object({
    operation_id: z.string(),
    status: z.string(),
    release_id: z.string().optional(),
    release_generation: z.int().optional(),
    urls: z.record(z.string(), z.string()).optional(),
    error: deployErrorWire.optional(),
    edge: edgeWire.optional(),
    ...restorePointWire,
    actor: OperationActorWire.nullable(),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  }),
  toWire: ({ operation, cursor }) => ({
    operation_id: operation.id,
    status: statusInShort(operation.status),
    ...(operation.releaseId === null
      ? {}
      : { release_id: operation.releaseId, urls: { ...operation.urls }, edge: edgeOf(operation) }),
    ...(operation.generation === null ? {} : { release_generation: Number(operation.generation) }),
    ...(operation.error === null ? {} : { error: { ...operation.error } }),
    ...restorePointOf(operation),
    actor: operation.actor,
    next_actions: [{ ...pollAfter(operation.projectId, cursor) }],
  }),
});

/** Its database is about to be another one. */
const restoringStatement = statement(
  'deploys.restoring',
  { params: pick(projectRestores, 'projectId'), row: pick(projectRestores, 'id') },
  ({ projectId }, row) => sql`select ${row} from ${projectRestores}
    where ${projectRestores.projectId} = ${projectId} and ${projectRestores.dueAt} is not null
      and ${projectRestores.status} = 'running'`,
);
