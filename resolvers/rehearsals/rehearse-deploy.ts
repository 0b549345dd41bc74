import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { teardowns } from '../../db/schema/rehearsals.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import type { Context } from '../../kernel/run/context.ts';
import { lookUntil } from '../../kernel/run/look-until.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { beginBranch, refuseFullStorage } from '../branches/shared/begin-branch.ts';
import { deployActions } from '../deploys/shared/actions.ts';
import { sought } from '../deploys/shared/on-deploy.ts';
import { type PlanToCommit, planToCommit } from '../deploys/shared/plan-to-commit.ts';
import { insertRehearsalOperation, operationAsIs } from '../deploys/shared/rehearsal-operation.ts';
import { RehearsalReportWire } from '../deploys/shared/rehearsal-report.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { insertStatement, runningStatement } from './rehearsal-row.ts';

/** Days that a branch lives which is kept. */
const branchDays = 7;

const action = deployActions['project:deploys:write'];

type Operation = PlanToCommit['operation'];

/** States of a deploy that was not committed. */
const planned: readonly Operation['status'][] = ['planning', 'uploading'];

interface BegunRehearsal {
  readonly orgId: string;
  readonly operation: Operation;
  /** It was under way already. */
  readonly isJoined: boolean;
}

/** `POST /apply/v1/plans/:plan_id/rehearse`. Contract 03, section 2.5. */
export const rehearseDeploy = mutation({
  name: 'deploys.rehearse',
  tool: 'deploy_rehearse',
  command: 'deploy rehearse',
  duration: 'long',
  summary: 'Try a plan on a branch of its project, rows and all: run its migrations there, and check what it serves.',
  access: onProjectOf(action, sought.plan, ({ plan }: { readonly plan: string }) => plan),
  lifecycle: 'owned',
  writeApproval: { action: 'project.deploy', field: 'project_id', target: (_input, scope) => scope?.project?.id },
  invalidCode: 'INVALID_REHEARSAL_OPTIONS',
  input: z.object({
    plan: z.string().min(1).max(64).describe('The plan, `plan_…`. It can be committed as before.'),
    teardown: z
      .enum(teardowns)
      .default('on_pass')
      .describe(
        'What becomes of the branch: `keep` leaves it for a week, `on_pass` deletes it where all went well, `always` deletes it.',
      ),
  }),
  async prepare(ctx, { plan }): Promise<PlanToCommit> {
    const caller = await ctx.caller();
    if (caller.kind === 'delegate' && caller.scope.binding !== undefined)
      throw new ServiceError('REHEARSAL_CI_UNSUPPORTED');
    const found = await planToCommit(ctx, plan).catch(asRehearsals);
    if (found.computed === undefined) throw committed(found.operation);
    await refuseFullStorage(ctx);
    return found;
  },
  async handler(work, { plan: planId, teardown }, { operation, computed }): Promise<BegunRehearsal> {
    const { org, services } = work;
    const parent = await lockProjectFor(work, action);
    const owner = { orgId: org.id, projectId: parent.id };
    const now = (await operationAsIs(work.rows, owner, operation.id))!;
    if (!planned.includes(now.status)) throw committed(now);
    const [running] = await work.rows(runningStatement.with({ planId }));
    if (running !== undefined)
      return {
        orgId: org.id,
        operation: (await operationAsIs(work.rows, owner, running.id))!,
        isJoined: true,
      };
    const name = `Rehearsal of ${planId}`;
    const branchId = await beginBranch(work, parent, { name, mail: 'sandbox', cron: false, days: branchDays });
    const begun = await insertRehearsalOperation(work, { planId, baseReleaseId: operation.baseReleaseId });
    const migrations = computed!.plan.migrations.new.map(({ id }) => id);
    await work.rows(
      insertStatement.with({
        ...owner,
        id: begun.id,
        planId,
        branchId,
        teardown,
        migrations: JSON.stringify(migrations),
      }),
    );
    work.afterCommit(() => services.rehearsalWork.wake());
    return { orgId: org.id, operation: begun, isJoined: false };
  },
  audit: ({ operation, isJoined }, { teardown }, { project }) =>
    isJoined
      ? undefined
      : {
          action: 'deploy.rehearsed',
          object: { kind: 'deploy', id: operation.id },
          details: { project_id: project.id, plan_id: operation.planId, teardown },
        },
  wire: z.object({
    operation_id: z.string(),
    status: z.string(),
    poll_url: z.string(),
    report: RehearsalReportWire.nullable().describe('Null while it runs: the operation has it then, once it is over.'),
  }),
  async toWire(begun, ctx) {
    const seen = await endOfRehearsal(ctx, begun);
    return { operation_id: seen.id, status: seen.status, poll_url: pollUrlOf(seen), report: seen.rehearsalReport };
  },
});

/** A rehearsal once it is over, or as it stands after a while: it goes on by itself. */
export function endOfRehearsal(ctx: Context, { orgId, operation }: BegunRehearsal): Promise<Operation> {
  const owner = { orgId, projectId: operation.projectId };
  return lookUntil(
    ctx,
    async () => (await operationAsIs(ctx.services.db.rows, owner, operation.id)) ?? operation,
    ({ status }) => status !== 'running',
  );
}

/** Where a rehearsal is looked after. */
export const pollUrlOf = ({ id }: Pick<Operation, 'id'>): string => `/apply/v1/operations/${id}`;

const committed = ({ id, status }: Operation) =>
  new ServiceError('INVALID_STATE', {
    message: 'The plan was committed: there is nothing to rehearse.',
    details: { operation_id: id, status },
  });

const contentCodes: readonly string[] = ['CONTENT_MISSING', 'MIGRATION_SQL_NOT_FOUND'];

/** What a commit refuses because of content has a code of its own here. */
function asRehearsals(error: unknown): never {
  if (error instanceof ServiceError && contentCodes.includes(error.code))
    throw new ServiceError('REHEARSAL_CONTENT_MISSING', { details: error.details });
  throw error;
}
