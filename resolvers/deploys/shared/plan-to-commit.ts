import type { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { deployPlans } from '../../../db/schema/releases.ts';
import { computed as computedColumn, pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { refuseImmutableChanges } from '../../../engines/release/static-manifest.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { readManifest } from '../../project-data/shared/apply-manifest.ts';
import { baseConflict, type ComputedPlan, computePlan } from '../computed-plan.ts';
import { type DeployOperation, findOperation, isPlanned } from '../deploy-operation.ts';
import { type GivenSpec, refusing } from '../given-spec.ts';
import { refuseUnrunnable } from '../refuse-unrunnable.ts';
import { refuseOtherPlan, type requiredPlan } from '../required-plan.ts';
import { refuseBeyondBinding, refuseForeignMembers } from '../within-ci-scopes.ts';
import { sought } from './on-deploy.ts';
import { secretKeysOf } from './secret-keys.ts';

/** A plan, as it stands at its commit. */
export interface PlanToCommit {
  readonly operation: DeployOperation;
  readonly given: GivenSpec;
  /** What it comes to now; undefined for what was committed before. */
  readonly computed: ComputedPlan | undefined;
}

/**
 * Finds a plan and checks all that its commit would refuse. Nothing is changed.
 *
 * @param required the reviewed plan that it has to be
 * @throws PLAN_NOT_FOUND, PLAN_EXPIRED and the codes of contract 03, section 2.17
 */
export async function planToCommit(
  ctx: Context & ProjectScope,
  planId: string,
  required?: z.output<typeof requiredPlan> | undefined,
): Promise<PlanToCommit> {
  const { services, org, project } = ctx;
  const owner = { orgId: org.id, projectId: project.id };
  const [plan] = await services.db.rows(planStatement.with({ ...owner, id: planId }));
  if (plan === undefined) throw sought.plan.absent(planId);
  const operation = (await findOperation(services.db.rows, owner, plan.operationId))!;
  const given = plan.spec as unknown as GivenSpec;
  if (!isPlanned(operation)) return { operation, given, computed: undefined };
  if (plan.expired) throw new ServiceError('PLAN_EXPIRED', { details: { plan_id: planId } });
  await refuseForeignMembers(ctx, given);
  const computed = await computePlan(services, ctx, given);
  await refuseBeyondBinding(ctx, computed);
  if (computed.live.releaseId !== plan.baseReleaseId) throw baseConflict(plan.baseReleaseId, computed.live.releaseId);
  if (required !== undefined) await refuseOtherPlan(services.db.rows, ctx, required, computed.fingerprint);
  if (plan.fingerprint !== null)
    await refuseOtherPlan(services.db.rows, ctx, { plan_id: planId }, computed.fingerprint);
  await refuseIncomplete(ctx, computed);
  return { operation, given, computed };
}

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
  await refuseUnrunnable(services, project.orgId, plan.state);
  refusing(() => refuseImmutableChanges(plan.diff.static.immutableChanges));
  if (spec.expose !== undefined) await readManifest(services, project.id, spec.expose);
}

/** A plan as it was kept. */
export interface KeptPlan {
  readonly given: GivenSpec;
  readonly baseReleaseId: string | null;
}

/** @throws PLAN_NOT_FOUND */
export async function keptPlan(
  rows: Rows,
  { orgId, id }: { readonly orgId: string; readonly id: string },
): Promise<KeptPlan> {
  const [plan] = await rows(keptStatement.with({ orgId, id }));
  if (plan === undefined) throw sought.plan.absent(id);
  return { given: plan.spec as unknown as GivenSpec, baseReleaseId: plan.baseReleaseId };
}

const keptStatement = statement(
  'deploys.kept-plan',
  { params: pick(deployPlans, 'orgId', 'id'), row: pick(deployPlans, 'spec', 'baseReleaseId') },
  (given, row) => sql`select ${row} from ${deployPlans}
    where ${deployPlans.orgId} = ${given.orgId} and ${deployPlans.id} = ${given.id}`,
);

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
