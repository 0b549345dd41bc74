import { ServiceError } from '../../core/errors.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../kernel/durability/leased-work.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { type BranchStanding, branchStanding } from '../branches/shared/rehearsal-branch.ts';
import { beginApart, declaredChecks, migrationMs, planApart } from '../deploys/shared/deploy-apart.ts';
import { type KeptPlan, keptPlan } from '../deploys/shared/plan-to-commit.ts';
import { operationAsIs, tellRehearsal } from '../deploys/shared/rehearsal-operation.ts';
import { attemptCopy, LostCopyError } from '../snapshots/shared/attempt-copy.ts';
import { type BranchScope, scopeOf } from './branch-scope.ts';
import { deployedOutcome, noResult, type Outcome, refusedOutcome, skippedCheck } from './outcome.ts';
import {
  beginStatement,
  deployedStatement,
  leasedRehearsals,
  putOffRehearsal,
  type Rehearsal,
} from './rehearsal-row.ts';
import { runChecks } from './run-checks.ts';
import { settleRehearsal } from './settle-rehearsal.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Rehearses deploys on this node. */
    readonly rehearsalWork: LeasedWork;
  }
}

/** Rehearsals: most of the time they wait for their branch and its deploy, which are work of their own. */
export const rehearsalWork: LeasedKind = {
  statements: leasedRehearsals,
  run: rehearse,
  atOnce: 8,
  perLane: 4,
  renewMs: 5_000,
};

/** How long one look waits for the next step before the rehearsal lets go of its place, in milliseconds. */
const waitMs = 8_000;
/** Pause before the next look, in seconds. */
const pauseSeconds = 1;
/** Longest that a rehearsal may take, in milliseconds: what waits for longer waits for nothing. */
const longestMs = 2 * 60 * 60 * 1_000;

/**
 * Brings a rehearsal a step further, or to its end: waits for its branch, has the plan applied there, and checks what it
 * serves. Each step may be repeated by another node.
 */
async function rehearse(ctx: Context, item: LeasedItem): Promise<void> {
  const [rehearsal] = await ctx.services.db.rows(beginStatement.with({ id: item.id, lease: item.lease }));
  if (rehearsal === undefined) return;
  return attemptCopy(ctx, item, {
    attempts: rehearsal.attempts,
    failed: 'A deploy could not be rehearsed.',
    async run() {
      const outcome = await stepsOf(ctx, item, rehearsal);
      if (outcome !== undefined) return settleRehearsal(ctx, item, outcome);
      const { id, lease } = item;
      await ctx.services.db.rows(putOffRehearsal.with({ id, lease, seconds: pauseSeconds, uncounted: 1 }));
    },
    putOff: putOffRehearsal,
    fail: (message) => settleRehearsal(ctx, item, noResult(rehearsal, message)),
  });
}

/** @returns what it has come to; undefined while something is waited for */
async function stepsOf(ctx: Context, item: LeasedItem, rehearsal: Rehearsal): Promise<Outcome | undefined> {
  const { services } = ctx;
  const look = () => branchStanding(services.db.rows, rehearsal.branchId);
  const branch = await lookUntil(ctx, look, (seen) => seen?.status !== 'creating', { waitMs });
  if (branch?.status === 'failed') return noResult(rehearsal, branch.error?.message ?? 'Its branch could not be made.');
  const isLate = services.now().getTime() - rehearsal.createdAt.getTime() > longestMs;
  if (isLate) return noResult(rehearsal, 'It took longer than two hours.');
  if (branch?.status === 'creating') return undefined;
  const [scope, source] = await Promise.all([scopeOf(ctx, rehearsal.branchId), scopeOf(ctx, rehearsal.projectId)]);
  if (source === undefined) throw new LostCopyError('The project was deleted.');
  if (branch === undefined || scope === undefined)
    return noResult(rehearsal, 'Its branch was deleted before it was over.');
  const plan = await keptPlan(services.db.rows, { orgId: source.org.id, id: rehearsal.planId });
  const stage: Stage = { ctx, item, rehearsal, branch, scope, source, plan };
  const begun = rehearsal.branchOperationId === null ? await deployThere(stage) : rehearsal;
  const declared = await declaredChecks(ctx, source, plan.given);
  if (begun instanceof ServiceError) return refusedOutcome(rehearsal, declared, begun);
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const lookAtDeploy = () => operationAsIs(services.db.rows, owner, begun.branchOperationId!);
  const deploy = await lookUntil(ctx, lookAtDeploy, (seen) => seen === undefined || isOver(seen), { waitMs });
  if (deploy === undefined) return noResult(rehearsal, 'Its branch was deleted before it was over.');
  if (!isOver(deploy)) return undefined;
  const { releaseId } = deploy;
  const checks =
    releaseId === null ? declared.map(skippedCheck) : await runChecks(ctx, { scope, source, releaseId, declared });
  const took = await migrationMs(ctx, owner.orgId, deploy.id);
  return deployedOutcome(rehearsal, deploy, took, checks);
}

/** One step of a rehearsal with all that it needs. */
interface Stage {
  readonly ctx: Context;
  readonly item: LeasedItem;
  readonly rehearsal: Rehearsal;
  readonly branch: BranchStanding;
  readonly scope: BranchScope;
  readonly source: BranchScope;
  readonly plan: KeptPlan;
}

/** Where a deploy of a branch is over: one that waits to go live for an hour is over here. */
const over: readonly string[] = ['ready', 'failed', 'rolled_back', 'needs_repair', 'activation_pending'];
const isOver = ({ status }: { readonly status: string }): boolean => over.includes(status);

/**
 * Has the plan be applied in the branch, once.
 *
 * @returns the deploy there, or the refusal of the plan
 * @throws LostCopyError
 */
async function deployThere({
  ctx,
  item: { id, lease },
  rehearsal,
  branch,
  scope,
  source,
  plan,
}: Stage): Promise<Pick<Rehearsal, 'branchPlanId' | 'branchOperationId'> | ServiceError> {
  if (branch.parentReleaseId !== plan.baseReleaseId)
    return new ServiceError('BASE_RELEASE_CONFLICT', {
      details: { base_release_id: plan.baseReleaseId, live_release_id: branch.parentReleaseId },
    });
  const owner = { orgId: source.org.id, projectId: source.project.id };
  try {
    const apart = await planApart(ctx, owner, plan.given, scope);
    return await unitOfWork(ctx, async (work) => {
      const { id: branchOperationId, planId: branchPlanId } = await beginApart(work, apart);
      const [noted] = await work.rows(deployedStatement.with({ id, lease, branchPlanId, branchOperationId }));
      if (noted === undefined) throw new LostCopyError('The rehearsal was taken over.');
      tellRehearsal(work, owner, rehearsal.id, `The branch ${scope.project.id} is there. The plan is applied to it.`);
      return { branchPlanId, branchOperationId };
    });
  } catch (error) {
    // What may pass is tried again.
    if (error instanceof ServiceError && !error.row.retryable) return error;
    throw error;
  }
}
