import { ServiceError } from '../core/errors.ts';
import type { Context } from '../kernel/run/context.ts';
import type { InputFields } from './input-types.ts';
import { withRequest } from './loader.ts';

/** The key that mutation inputs offer, beside the header; but for what is sold to whoever pays, whose payment is the key. */
export const keyField = (t: InputFields) => ({
  idempotencyKey: t.string({
    required: false,
    description: 'The same key with the same input changes something once; 1 to 256 characters.',
  }),
});

/** The context of one mutation field, under the key of its input. @throws IDEMPOTENCY_KEY_INVALID beside another header */
export function keyed(ctx: Context, key: string | undefined): Context {
  const header = ctx.request.idempotencyKey;
  if (key === undefined || key === header) return ctx;
  if (header !== undefined) {
    throw new ServiceError('IDEMPOTENCY_KEY_INVALID', { message: 'The header and the input name different keys.' });
  }
  return withRequest(ctx, { ...ctx.request, idempotencyKey: key });
}
