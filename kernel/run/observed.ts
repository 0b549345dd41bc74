import { ServiceError } from '../../core/errors.ts';
import { traced } from '../../core/tracing.ts';
import type { Context } from './context.ts';
import { asRefusal } from './execute.ts';
import type { AnyOperation } from './operation.ts';

/**
 * Answers an operation for many targets at once, below a field that was admitted already. Metrics and traces see it as
 * one run; it takes nothing from anybody's rate, since it is part of the query that did.
 */
export async function observed<Result>(
  ctx: Context,
  { name }: Pick<AnyOperation, 'name'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  let code = 'OK';
  try {
    return await traced(name, {}, run);
  } catch (error) {
    const refusal = asRefusal(error);
    code = refusal instanceof ServiceError ? refusal.code : 'INTERNAL_ERROR';
    throw refusal;
  } finally {
    ctx.services.observe(name, code, (performance.now() - startedAt) / 1000);
  }
}
