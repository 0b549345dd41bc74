import { safeMessage } from '../../core/safe-message.ts';
import type { Statement } from '../../db/pool.ts';
import { bindStep, type IdempotencyLease } from '../durability/idempotency.ts';
import type { Work } from '../durability/unit-of-work.ts';
import type { Context } from './context.ts';
import type { AnyStepMutation, StepRef } from './operation.ts';

/** After so many failed attempts a step operation is undone instead. */
export const undoneAfterAttempts = 5;

/** How many attempts a step operation has before it is undone; null: as many as it takes, since it cannot be undone. */
export const attemptsMaxOf = ({ undo }: Pick<AnyStepMutation['steps'], 'undo'>): number | null =>
  undo === undefined ? null : undoneAfterAttempts;

/** The job that picks up what a crash left behind. */
export const reapStepTask = 'steps.reap';

export interface Step {
  readonly id: string;
  readonly operation: string;
  readonly ref: StepRef;
  readonly state: 'running' | 'done' | 'undone' | 'stuck';
  readonly attempts: number;
}

/** Writes what was begun, on the connection that begins it, together with the job that looks after it. */
export async function recordStep(
  work: Work,
  begun: { operation: string; orgId: string; ref: StepRef },
  claim: IdempotencyLease | undefined,
): Promise<Step> {
  const { services } = work;
  const id = services.newId('stp');
  const lease = services.settings.stepLeaseSeconds;
  await work.rows(insertStatement, [id, begun.orgId, begun.operation, JSON.stringify(begun.ref), lease]);
  if (claim !== undefined) await bindStep(work.client, claim, id);
  // Looks after the lease has run out; finds nothing to do in the usual case.
  await work.addJob(
    reapStepTask,
    { stepId: id },
    { runAt: new Date(services.now().getTime() + (lease + 1) * 1000), key: id },
  );
  return { id, operation: begun.operation, ref: begun.ref, state: 'running', attempts: 1 };
}

/**
 * Takes over a step that no process works on any more; undefined while one still does, and when it had
 * `attemptsMax` attempts already. Null: however many it had.
 */
export async function takeStep(
  ctx: Pick<Context, 'services'>,
  stepId: string,
  attemptsMax: number | null,
): Promise<Step | undefined> {
  const lease = ctx.services.settings.stepLeaseSeconds;
  const [step] = await ctx.services.db.rows<Step>(takeStatement, [stepId, lease, attemptsMax]);
  return step;
}

/** The step as it is now. */
export async function findStep(ctx: Pick<Context, 'services'>, stepId: string): Promise<Step | undefined> {
  const [step] = await ctx.services.db.rows<Step>(findStatement, [stepId]);
  return step;
}

/**
 * Marks a step done, on the connection that settles it.
 *
 * @returns false when it has been given up meanwhile: what its effect made has to go again
 */
export async function finishStep(work: Work, stepId: string, attemptsMax: number | null): Promise<boolean> {
  return (await work.rows(finishStatement, [stepId, attemptsMax])).length > 0;
}

/** Lets go of a step whose effect failed, so that the next attempt need not wait for the lease. */
export const releaseStep = (ctx: Pick<Context, 'services'>, { id, attempts }: Step, error: unknown) =>
  ctx.services.db.rows(failStatement, [id, safeMessage(error), attempts]);

/** Takes back what the effect made and closes the step. */
export async function undoStep(
  ctx: Pick<Context, 'services'>,
  step: Step,
  undo: NonNullable<AnyStepMutation['steps']['undo']>,
): Promise<void> {
  await undo(ctx, step.ref);
  await ctx.services.db.rows(undoneStatement, [step.id]);
}

const columns = 'id, operation, ref, state, attempts';

const insertStatement: Statement = {
  name: 'steps.insert',
  text: `insert into step_operations (id, org_id, operation, ref, lease_until, attempts)
    values ($1, $2, $3, $4, now() + make_interval(secs => $5), 1)`,
};

const takeStatement: Statement = {
  name: 'steps.take',
  text: `update step_operations set lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
    where id = $1 and state = 'running' and lease_until < now() and ($3::int is null or attempts < $3) returning ${columns}`,
};

const findStatement: Statement = { name: 'steps.find', text: `select ${columns} from step_operations where id = $1` };

// The process that took it after the last attempt takes it back, so from then on none may finish it.
const finishStatement: Statement = {
  name: 'steps.finish',
  text: `update step_operations set state = 'done', last_error = null
    where id = $1 and (state = 'done' or (state = 'running' and ($2::int is null or attempts <= $2))) returning id`,
};

const undoneStatement: Statement = {
  name: 'steps.undone',
  text: `update step_operations set state = 'undone', last_error = null where id = $1`,
};

const failStatement: Statement = {
  name: 'steps.fail',
  text: `update step_operations set last_error = $2, lease_until = now() - interval '1 second' where id = $1 and state = 'running' and attempts = $3`,
};
