import type { z } from 'zod';
import type { Context } from './context.ts';
import { concerning } from './correlation.ts';
import { observed } from './observed.ts';
import type { Operation } from './operation.ts';
import { parseInput, type Spelling } from './parse-input.ts';
import { isGatewayPriced } from './price.ts';
import { type AnyChange, Run } from './run.ts';
import { authorise, spendBudget } from './stages/authorise.ts';
import { identify, refuseReaders } from './stages/identify.ts';
import { once } from './stages/once.ts';
import { perform } from './stages/perform.ts';
import { proveChange, proveRead } from './stages/prove.ts';

/**
 * The only road from a surface to a handler. Its stages, in order: ask the price, parse, identify, authorise, limit, and
 * for a change prove, claim the idempotency key and perform.
 *
 * @param raw the input as it arrived; the operation's schema is its only judge
 * @param spelling what the surface calls the operation's inputs
 * @throws ServiceError for every refusal; anything else is a fault of ours and is masked by the surfaces
 */
export function execute<Input extends z.ZodObject, Scope, Output, Wire>(
  op: Operation<Input, Scope, Output, Wire>,
  ctx: Context,
  raw: z.input<Input>,
  spelling: Spelling = (name) => name,
): Promise<Output> {
  const run = new Run(op, ctx);
  const stages = async () => {
    if (op.kind === 'mutation' && isGatewayPriced(op)) await ctx.services.payments.askGatewayPrice(op.price, ctx, raw);
    run.input = parseInput(op, raw, spelling);
    run.projectId = op.access.addressed?.(run.input as z.output<Input>);
    await identify(run);
    refuseReaders(run);
    await authorise(run);
    spendBudget(run);
    if (op.kind === 'query') {
      proveRead(run);
      return op.handler({ ...run.ctx, ...(run.scope as Scope) }, run.input as z.output<Input>);
    }
    const change = run as unknown as Run<AnyChange>;
    await proveChange(change);
    return (await once(change, perform)) as Output;
  };
  return observed(ctx, op, stages, {
    key: ctx.request.idempotencyKey,
    refused: (refusal) => concerning(refusal, run.projectId),
  });
}
