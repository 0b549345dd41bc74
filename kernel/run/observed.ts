import { ServiceError } from '../../core/errors.ts';
import { traced } from '../../core/tracing.ts';
import { asRefusal } from './as-refusal.ts';
import type { Context } from './context.ts';

/**
 * Runs something that has a name in metrics and traces, and tells what came of it.
 *
 * @param key the idempotency key under which the run may be repeated, where it honours one
 * @param refused what the refusal becomes that is thrown; as it is, unless told
 * @throws what the run threw; a database that is away as a refusal
 */
export async function observed<Result>(
  { services }: Pick<Context, 'services'>,
  { name }: { readonly name: string },
  run: () => Promise<Result>,
  { key, refused }: { readonly key?: string | undefined; readonly refused?: (refusal: unknown) => unknown } = {},
): Promise<Result> {
  const startedAt = performance.now();
  let code = 'OK';
  try {
    return await traced(name, {}, run);
  } catch (error) {
    const refusal = asRefusal(error, key);
    code = refusal instanceof ServiceError ? refusal.code : 'INTERNAL_ERROR';
    throw refused === undefined ? refusal : refused(refusal);
  } finally {
    services.observe(name, code, (performance.now() - startedAt) / 1000);
  }
}
