import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { deployOperations, deployPlans } from '../../db/schema/releases.ts';
import { projectRestores } from '../../db/schema/snapshots.ts';
import { computed as computedColumn, pick, setOf, statement, typed } from '../../db/sql.ts';
import { refuseImmutableChanges } from '../../engines/release/static-manifest.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import { actorOf } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { cursorNow } from '../events/shared/cursor-now.ts';
import { pollAfter } from '../events/shared/poll-after.ts';
import { readManifest } from '../project-data/shared/apply-manifest.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { OperationActorWire } from '../projects/shared/wire.ts';
import { applyTask } from './apply/task.ts';
import { baseConflict, type ComputedPlan, computePlan } from './computed-plan.ts';
import {
  type DeployOperation,
  deployErrorWire,
  edgeOf,
  edgeWire,
  findOperation,
  isPlanned,
  operationColumns,
  restorePointOf,
  restorePointWire,
  statusInShort,
} from './deploy-operation.ts';
import { urlsOf } from './deploy-urls.ts';
import { type GivenSpec, refusing } from './given-spec.ts';
import { findLive } from './live-release.ts';
import { refuseUnrunnable } from './refuse-unrunnable.ts';
import { findRelease } from './release-store.ts';
import { refuseOtherPlan, requiredPlan } from './required-plan.ts';
import { refuseRunning } from './running-deploy.ts';
import { deployActions } from './shared/actions.ts';
import { sought } from './shared/on-deploy.ts';
import { secretKeysOf } from './shared/secret-keys.ts';
import { refuseBeyondBinding, refuseForeignMembers } from './within-ci-scopes.ts';

interface CommittedDeploy {
  readonly operation: DeployOperation;
  /** Behind which its activation is told. */
  readonly cursor: string;
  readonly isRepeated: boolean;
}

interface Prepared {
  /** Undefined for what was committed before. */
  readonly computed: ComputedPlan | undefined;
  readonly operation: DeployOperation;
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
  async prepare(ctx, { plan: planId, required_plan }): Promise<Prepared> {
    const { services, org, project } = ctx;
    const owner = { orgId: org.id, projectId: project.id };
    const [plan] = await services.db.rows(planStatement.with({ ...owner, id: planId }));
    if (plan === undefined) throw sought.plan.absent(planId);
    const operation = (await findOperation(services.db.rows, owner, plan.operationId))!;
    const cursor = await cursorNow(ctx);
    if (!isPlanned(operation)) return { computed: undefined, operation, cursor };
    if (plan.expired) throw new ServiceError('PLAN_EXPIRED', { details: { plan_id: planId } });
    const given = plan.spec as unknown as GivenSpec;
    await refuseForeignMembers(ctx, given);
    const computed = await computePlan(services, ctx, given);
    await refuseBeyondBinding(ctx, computed);
    if (computed.live.releaseId !== plan.baseReleaseId) throw baseConflict(plan.baseReleaseId, computed.live.releaseId);
    if (required_plan !== undefined) await refuseOtherPlan(services.db.rows, ctx, required_plan, computed.fingerprint);
    if (plan.fingerprint !== null)
      await refuseOtherPlan(services.db.rows, ctx, { plan_id: planId }, computed.fingerprint);
    await refuseIncomplete(ctx, computed);
    return { computed, operation, cursor };
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
    return { operation: await begin(work, now, computed), cursor, isRepeated: false };
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

/** What can be known to fail before anything is done. @throws the codes of contract 03, section 2.17 */
async function refuseIncomplete({ services, project }: Context & ProjectScope, { plan, spec }: ComputedPlan) {
  const missing = plan.content.filter(({ present }) => !present).map(({ sha256 }) => sha256);
  const sqlOf = new Set(
    plan.migrations.new.flatMap(({ sql: text }) => (typeof text === 'string' ? [] : [text.sha256])),
  );
  if (missing.some((one) => sqlOf.has(one)))
    throw new ServiceError('MIGRATION_SQL_NOT_FOUND', {
      details: { missing: missing.filter((one) => sqlOf.has(one)) },
    });
  if (missing.length > 0) throw new ServiceError('CONTENT_MISSING', { details: { missing: missing.slice(0, 100) } });
  const secretKeys = await secretKeysOf(services, { orgId: project.orgId, projectId: project.id });
  // Not of those carried forward, of which a plan warns: what lost a secret could not be mended by a deploy.
  const unset = spec.secrets.require.filter((key) => !secretKeys.has(key));
  if (unset.length > 0) throw new ServiceError('MISSING_REQUIRED_SECRET', { details: { keys: unset } });
  const unknown = spec.secrets.delete.find((key) => !secretKeys.has(key));
  if (unknown !== undefined) throw new ServiceError('SECRET_NOT_FOUND', { details: { key: unknown } });
  if (spec.assets?.sync !== undefined && spec.assets.sync.confirm === undefined)
    throw new ServiceError('PRUNE_CONFIRMATION_REQUIRED', { details: { prefix: spec.assets.sync.prefix } });
  await refuseUnrunnable(services, plan.state);
  refusing(() => refuseImmutableChanges(plan.diff.static.immutableChanges));
  if (spec.expose !== undefined) await readManifest(services, project.id, spec.expose);
}

/** Has the deploy begin; one that would change nothing is done with that. @throws BASE_RELEASE_CONFLICT */
async function begin(
  work: Work & ProjectScope,
  operation: DeployOperation,
  { plan, base, live }: ComputedPlan,
): Promise<DeployOperation> {
  const { services, org, project } = work;
  const owner = { orgId: org.id, projectId: project.id };
  const actor = JSON.stringify(actorOf(await work.caller(), work, services.now()));
  if (plan.isNoop && base !== null && base.releaseId === live.releaseId) {
    const release = (await findRelease(work.rows, owner, base.releaseId))!;
    const urls = JSON.stringify(await urlsOf(work, owner, project.publicId, release.deploymentId));
    const [done] = await work.rows(
      doneStatement.with({
        ...owner,
        id: operation.id,
        releaseId: base.releaseId,
        generation: live.generation,
        urls,
        actor,
      }),
    );
    return done!;
  }
  await refuseRunning(work.rows, owner);
  const [begun] = await work.rows(
    beginStatement.with({
      ...owner,
      id: operation.id,
      targetReleaseId: services.newId('rel'),
      urls: JSON.stringify({ deployment_id: services.newId('dpl') }),
      actor,
    }),
  );
  await work.addJob(applyTask, { operation: operation.id }, { key: operation.id });
  return begun!;
}

const planStatement = statement(
  'deploys.find-plan',
  {
    params: pick(deployPlans, 'orgId', 'projectId', 'id'),
    row: {
      ...pick(deployPlans, 'operationId', 'spec', 'baseReleaseId', 'fingerprint'),
      expired: computedColumn<boolean>('boolean', sql`${deployPlans.expiresAt} <= now()`),
    },
  },
  (given, row) => sql`select ${row} from ${deployPlans} where ${deployPlans.orgId} = ${given.orgId}
    and ${deployPlans.projectId} = ${given.projectId} and ${deployPlans.id} = ${given.id}`,
);

const ofOne = pick(deployOperations, 'orgId', 'projectId', 'id');

const beginStatement = statement(
  'deploys.begin',
  { params: { ...ofOne, ...pick(deployOperations, 'targetReleaseId', 'urls', 'actor') }, row: operationColumns },
  ({ orgId, projectId, id, ...set }, row) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...set, status: sql`'committing'`, updatedAt: sql`now()` })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${projectId}
      and ${deployOperations.id} = ${id} returning ${row}`,
);

const doneStatement = statement(
  'deploys.done',
  {
    params: {
      ...ofOne,
      releaseId: typed<string>('text'),
      generation: typed<bigint>('bigint'),
      ...pick(deployOperations, 'urls', 'actor'),
    },
    row: operationColumns,
  },
  ({ orgId, projectId, id, ...set }, row) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...set, status: sql`'ready'`, updatedAt: sql`now()` })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${projectId}
      and ${deployOperations.id} = ${id} returning ${row}`,
);

/** Its database is about to be another one. */
const restoringStatement = statement(
  'deploys.restoring',
  { params: pick(projectRestores, 'projectId'), row: pick(projectRestores, 'id') },
  ({ projectId }, row) => sql`select ${row} from ${projectRestores}
    where ${projectRestores.projectId} = ${projectId} and ${projectRestores.dueAt} is not null
      and ${projectRestores.status} = 'running'`,
);
