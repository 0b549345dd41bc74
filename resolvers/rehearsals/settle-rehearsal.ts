import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { branchStanding, discardRehearsed } from '../branches/shared/rehearsal-branch.ts';
import { endRehearsalOperation, tellRehearsal } from '../deploys/shared/rehearsal-operation.ts';
import type { RehearsalReport } from '../deploys/shared/rehearsal-report.ts';
import { LostCopyError } from '../snapshots/shared/attempt-copy.ts';
import { originOfBranch, scopeOf } from './branch-scope.ts';
import type { Outcome } from './outcome.ts';
import { endStatement, heldStatement, type Rehearsal } from './rehearsal-row.ts';

type Teardown = RehearsalReport['teardown'];

/** Ends a rehearsal: its report, its operation and the deletion of its branch are one transaction. @throws LostCopyError */
export async function settleRehearsal(
  ctx: Context,
  { id, lease }: Pick<LeasedItem, 'id' | 'lease'>,
  outcome: Outcome,
): Promise<void> {
  await unitOfWork(ctx, async (work) => {
    const [rehearsal] = await work.rows(heldStatement.with({ id, lease }));
    if (rehearsal === undefined) throw new LostCopyError('The rehearsal was taken over.');
    const owner = { orgId: rehearsal.orgId, projectId: rehearsal.projectId };
    const branch = await scopeOf(ctx, rehearsal.branchId);
    const url = branch === undefined || rehearsal.branchOperationId === null ? null : originOfBranch(ctx, branch);
    const isDeleted = deletes(rehearsal, outcome) && (await discardRehearsed(work, rehearsal.branchId));
    const isThere = !isDeleted && (await branchStanding(work.rows, rehearsal.branchId)) !== undefined;
    const action = isDeleted ? 'deleted' : isThere ? 'kept' : 'skipped';
    const report = reportOf(rehearsal, outcome, { action, url, completedAt: ctx.services.now() });
    await work.rows(endStatement.with({ id, lease, report: JSON.stringify(report) }));
    await endRehearsalOperation(work, owner, id, outcome.hasResult ? null : (outcome.error ?? null));
    tellRehearsal(work, owner, id, `The rehearsal has ${report.status}.`);
  });
}

const hasPassed = ({ migrations, checks, error }: Outcome): boolean =>
  error === undefined &&
  migrations.every(({ status }) => status === 'passed') &&
  checks.every(({ status }) => status !== 'failed');

/** Whether the branch goes with the rehearsal. */
const deletes = ({ teardown }: Rehearsal, outcome: Outcome): boolean =>
  teardown === 'always' || (teardown === 'on_pass' && hasPassed(outcome));

function reportOf(
  rehearsal: Rehearsal,
  outcome: Outcome,
  end: { readonly action: Teardown['action']; readonly url: string | null; readonly completedAt: Date },
): RehearsalReport {
  const { id, projectId, planId, branchId, branchPlanId, branchOperationId, teardown, createdAt } = rehearsal;
  const { action, url, completedAt } = end;
  const status = hasPassed(outcome) ? 'passed' : 'failed';
  return {
    kind: 'rehearsal_report',
    status,
    operation_id: id,
    source_project_id: projectId,
    plan_id: planId,
    branch_project_id: branchId,
    branch_url: url,
    branch_plan_id: branchPlanId,
    branch_operation_id: branchOperationId,
    snapshot_id: null,
    started_at: createdAt.toISOString(),
    completed_at: completedAt.toISOString(),
    duration_ms: Math.max(0, completedAt.getTime() - createdAt.getTime()),
    migrations: [...outcome.migrations],
    checks: [...outcome.checks],
    teardown: { policy: teardown, action },
    next_actions: [
      ...(status === 'passed' ? [commitPlan(planId)] : []),
      ...(action === 'kept' ? branchActions(projectId, branchId) : []),
    ],
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
  };
}

const commitPlan = (planId: string) => ({
  type: 'commit_plan' as const,
  method: 'POST',
  url: `/apply/v1/plans/${planId}/commit`,
  message: 'Make the plan live: it can be committed as before.',
});

function branchActions(projectId: string, branchId: string): RehearsalReport['next_actions'] {
  const url = `/projects/v1/${projectId}/branches/${branchId}`;
  const named = `${branchId} --project ${projectId}`;
  return [
    {
      type: 'discard_branch',
      command: `svc branches delete ${named}`,
      method: 'DELETE',
      url,
      message: 'Delete the branch. It counts among those of the project.',
    },
    {
      type: 'keep_branch',
      command: `svc branches renew ${named}`,
      method: 'POST',
      url: `${url}/renew`,
      message: 'Keep the branch for another week, to look at what it has come to.',
    },
  ];
}
