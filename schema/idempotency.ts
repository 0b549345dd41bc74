import type { Context } from '../resolvers/context.ts';
import type { builder } from './builder.ts';

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** The key that every mutation input offers, beside the header. */
export const keyField = (t: InputFields) => ({
  idempotencyKey: t.string({
    required: false,
    description: 'The same key with the same input changes something once; 1 to 256 characters.',
  }),
});

/** The context of one mutation field: its own key wins over the request's header. */
export const keyed = (ctx: Context, key: string | undefined): Context =>
  key === undefined ? ctx : { ...ctx, request: { ...ctx.request, idempotencyKey: key } };
