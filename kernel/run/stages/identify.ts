import { ServiceError } from '../../../core/errors.ts';
import { outsideRate } from '../../limits/limits.ts';
import type { Run } from '../run.ts';

/** Resolves the caller: the holder of the credential, or without one the wallet that pays, where that may act. */
export async function identify(run: Run): Promise<void> {
  const { op, ctx, input } = run;
  const { prefetch, refusalOf } = op.access;
  const asked = ctx.caller(
    prefetch &&
      ((principalId) => {
        // A caller who was refused too often is not looked up again.
        if (ctx.services.rateLimiter.peek(`refused:${principalId}`, outsideRate) === 0)
          run.ahead = prefetch(ctx, principalId, input);
      }),
  );
  const credited = await (refusalOf === undefined
    ? asked
    : asked.catch((refusal: unknown) => {
        throw refusalOf(refusal, input) ?? refusal;
      }));
  if (credited.kind !== 'nobody') {
    run.caller = credited;
    return;
  }
  const payer = await ctx.services.payments.payerOf(op, ctx, input);
  run.caller = payer;
  if (payer !== credited) run.ctx = { ...ctx, caller: async () => payer };
}

/** An operator's session reads, and does nothing that lets it act. @throws FORBIDDEN */
export function refuseReaders({ op, caller }: Run): void {
  const acts = op.kind === 'mutation' ? op.forReaders !== true : op.reveals !== undefined;
  if (!acts || caller.kind !== 'operator') return;
  throw new ServiceError('FORBIDDEN', {
    message: 'An operator session only reads.',
    details: { credential: 'operator' },
  });
}
