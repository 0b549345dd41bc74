import { ServiceError } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/pool.ts';
import { auditRow, writeAudit } from '../../durability/audit-log.ts';
import { bindStep, outcomeRow, storeOutcome } from '../../durability/idempotency.ts';
import { unitOfWork } from '../../durability/unit-of-work.ts';
import type { AnyMutation, AnyProjectMutation, AnyStepMutation } from '../operation.ts';
import type { AnyPrice } from '../price.ts';
import type { AnyChange, Run } from '../run.ts';
import { runSteps } from '../run-steps.ts';

/** Brings a change about, by the strategy of its kind. */
export function perform(run: Run<AnyChange>): Promise<unknown> {
  const { op } = run;
  if ('steps' in op) return runSteps(run as Run<AnyStepMutation>);
  if ('attempt' in op) return inProjectDatabase(run as Run<AnyProjectMutation>);
  return op.price === undefined ? inOneTransaction(run as Run<AnyMutation>) : sold(run as Run<AnyMutation>, op.price);
}

/** The change, its audit row and its stored outcome share one transaction. */
async function inOneTransaction({ op, ctx, caller, scope, input, claim }: Run<AnyMutation>): Promise<unknown> {
  const prepared = await op.prepare?.({ ...ctx, ...scope }, input);
  return unitOfWork(ctx, async (work) => {
    const output = await op.handler({ ...scope, ...work }, input, prepared);
    const entry = op.audit(output, input, scope);
    if (entry !== undefined) work.last(auditRow(ctx, caller, scope, entry));
    if (claim !== undefined) work.last(outcomeRow(ctx, claim, { output }));
    return output;
  });
}

/** A change in a project's own database. Its audit entry is written before it is tried. */
async function inProjectDatabase({ op, ctx, caller, scope, input, claim }: Run<AnyProjectMutation>): Promise<unknown> {
  const { pool } = ctx.services.db;
  await op.check?.({ ...ctx, ...scope }, input);
  const entry = op.attempt(input, scope);
  const runId = claim === undefined ? undefined : (claim.stepId ?? ctx.services.newId('run'));
  await inTransaction(pool, async (client) => {
    await writeAudit(client, ctx, caller, scope, entry);
    if (claim?.stepId === null) await bindStep(client, claim, runId!);
  });
  const output = await op.handler({ ...ctx, ...scope, runId }, input);
  if (claim !== undefined) await storeOutcome(ctx, claim, { output });
  return output;
}

/** A change that has a price: paid for on chain, or covered by a balance. */
async function sold(run: Run<AnyMutation>, price: AnyPrice): Promise<unknown> {
  const { ctx, caller, claim } = run;
  const { payments } = ctx.services;
  const settleAndRun = await payments.openSale(run, price);
  if (caller.kind === 'wallet') await caller.spendNonce();
  if (settleAndRun !== undefined) return settleAndRun(claim);
  return inOneTransaction(run).catch(async (refusal: unknown) => {
    // What covered it a moment ago no longer does: then the price is asked after all.
    if (refusal instanceof ServiceError && refusal.code === 'PAYMENT_REQUIRED') await payments.openSale(run, price);
    throw refusal;
  });
}
