import { safeMessage } from '../../core/safe-message.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { stepOperations } from '../../db/schema/projects.ts';
import { insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { AwaitedJobs } from '../durability/housekeeping.ts';
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

/** The jobs that finish or undo step operations. */
export const reapStepJobs: AwaitedJobs = {
  task: reapStepTask,
  key: stepOperations.id,
  payload: sql`json_build_object('stepId', ${stepOperations.id})`,
};

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
  const { orgId, operation } = begun;
  await work.rows(insertStatement.with({ id, orgId, operation, ref: JSON.stringify(begun.ref), lease }));
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
  const [step] = await ctx.services.db.rows(takeStatement.with({ id: stepId, lease, attemptsMax }));
  return step;
}

/** The step as it is now. */
export async function findStep(ctx: Pick<Context, 'services'>, stepId: string): Promise<Step | undefined> {
  const [step] = await ctx.services.db.rows(findStatement.with({ id: stepId }));
  return step;
}

/**
 * Marks a step done, on the connection that settles it.
 *
 * @returns false when it has been given up meanwhile: what its effect made has to go again
 */
export async function finishStep(work: Work, stepId: string, attemptsMax: number | null): Promise<boolean> {
  return (await work.rows(finishStatement.with({ id: stepId, attemptsMax }))).length > 0;
}

/** Lets go of a step whose effect failed, so that the next attempt need not wait for the lease. */
export const releaseStep = (ctx: Pick<Context, 'services'>, { id, attempts }: Step, error: unknown) =>
  ctx.services.db.rows(failStatement.with({ id, lastError: safeMessage(error), attempts }));

/** Takes back what the effect made and closes the step. */
export async function undoStep(
  ctx: Pick<Context, 'services'>,
  step: Step,
  undo: NonNullable<AnyStepMutation['steps']['undo']>,
): Promise<void> {
  await undo(ctx, step.ref);
  await ctx.services.db.rows(undoneStatement.with({ id: step.id }));
}

const columns = pick(stepOperations, 'id', 'operation', 'ref', 'state', 'attempts');
const lease = typed<number>('double precision');
const attemptsMax = typed<number | null>('integer');
const leasedFor = (seconds: SQL): SQL => sql`now() + make_interval(secs => ${seconds})`;

const insertStatement = statement(
  'steps.insert',
  { params: { ...pick(stepOperations, 'id', 'orgId', 'operation', 'ref'), lease } },
  ({ lease: seconds, ...given }) =>
    insertInto(stepOperations, { ...given, leaseUntil: leasedFor(seconds), attempts: sql`1` }),
);

const takeStatement = statement(
  'steps.take',
  { params: { ...pick(stepOperations, 'id'), lease, attemptsMax }, row: columns },
  (given, row) => sql`update ${stepOperations} ${setOf(stepOperations, {
    leaseUntil: leasedFor(given.lease),
    attempts: sql`${stepOperations.attempts} + 1`,
  })} where ${stepOperations.id} = ${given.id} and ${stepOperations.state} = 'running'
      and ${stepOperations.leaseUntil} < now()
      and (${given.attemptsMax}::int is null or ${stepOperations.attempts} < ${given.attemptsMax})
    returning ${row}`,
);

const findStatement = statement(
  'steps.find',
  { params: pick(stepOperations, 'id'), row: columns },
  ({ id }, row) => sql`select ${row} from ${stepOperations} where ${stepOperations.id} = ${id}`,
);

// The process that took it after the last attempt takes it back, so from then on none may finish it.
const finishStatement = statement(
  'steps.finish',
  { params: { ...pick(stepOperations, 'id'), attemptsMax }, row: pick(stepOperations, 'id') },
  (given, row) => sql`update ${stepOperations}
    ${setOf(stepOperations, { state: sql`'done'`, lastError: sql`null` })}
    where ${stepOperations.id} = ${given.id} and (${stepOperations.state} = 'done' or (${stepOperations.state} = 'running'
      and (${given.attemptsMax}::int is null or ${stepOperations.attempts} <= ${given.attemptsMax})))
    returning ${row}`,
);

const undoneStatement = statement(
  'steps.undone',
  { params: pick(stepOperations, 'id') },
  ({ id }) => sql`update ${stepOperations} ${setOf(stepOperations, { state: sql`'undone'`, lastError: sql`null` })}
    where ${stepOperations.id} = ${id}`,
);

const failStatement = statement(
  'steps.fail',
  { params: pick(stepOperations, 'id', 'lastError', 'attempts') },
  ({ id, lastError, attempts }) => sql`update ${stepOperations} ${setOf(stepOperations, {
    lastError,
    leaseUntil: sql`now() - interval '1 second'`,
  })} where ${stepOperations.id} = ${id} and ${stepOperations.state} = 'running'
      and ${stepOperations.attempts} = ${attempts}`,
);
