import type { z } from 'zod';
import type { Context } from './context.ts';
import { concerning } from './correlation.ts';
import { observed } from './observed.ts';
import type { Operation } from './operation.ts';
import type { Spelling } from './parse-input.ts';
import { Run } from './run.ts';
import { askPrice } from './stages/ask-price.ts';
import { authorise, spendBudget } from './stages/authorise.ts';
import { handle } from './stages/handle.ts';
import { identify, refuseReaders } from './stages/identify.ts';
import { prove } from './stages/prove.ts';
import { readInput } from './stages/read-input.ts';

/**
 * The only road from a surface to a handler. Each stage reads what those before it wrote into the run.
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
    await askPrice(run, raw);
    readInput(run, raw, spelling);
    await identify(run);
    refuseReaders(run);
    await authorise(run);
    spendBudget(run);
    await prove(run);
    return (await handle(run)) as Output;
  };
  return observed(ctx, op, stages, {
    key: ctx.request.idempotencyKey,
    refused: (refusal) => concerning(refusal, run.projectId),
  });
}
