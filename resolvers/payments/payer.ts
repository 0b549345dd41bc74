import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import { type Caller, callerKey, type WalletCaller } from '../../kernel/access/caller.ts';
import { outsideRate } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { PlatformPrice } from '../../kernel/run/price.ts';
import { findOrCreateWalletPrincipal } from '../identity/shared/wallet-principal.ts';
import { authorizationKey, isTransfer, paymentProofText } from './payment-proof.ts';
import { paymentRequired, termsOf } from './payment-required.ts';
import { findByNonce } from './payment-rows.ts';
import { asSaleRefusal, requirePaymentProof } from './sale.ts';

const nobody: Caller = { kind: 'nobody' };

interface MaybePriced {
  readonly price?: unknown;
}

/**
 * Who acts, of a request without a credential: the wallet that pays, where an operation is for whoever pays for it. The
 * signature of the payment proves the wallet; whether it is taken in the end is another matter.
 *
 * @throws PaymentRequired when nothing is presented and something has to be paid
 */
export async function payerOf(op: object, ctx: Context, input: object): Promise<Caller> {
  // biome-ignore lint/suspicious/noExplicitAny: the input is the operation's own.
  const facet = (op as MaybePriced).price as PlatformPrice<any, object, unknown> | undefined;
  if (facet?.payerActs !== true) return nobody;
  // Nobody is admitted yet, and what is quoted may be a secret that somebody guesses at.
  assertWithinRate(
    ctx.services.rateLimiter.take(`outside:${callerKey(nobody, networkOf(ctx.request.address))}`, outsideRate),
  );
  const price = await facet.quote(ctx, input);
  if (price === undefined) {
    if (paymentProofText(ctx, facet, input) !== undefined && facet.unidentified !== undefined)
      throw new ServiceError(facet.unidentified);
    return nobody;
  }
  const terms = await termsOf(ctx, price);
  const proof = requirePaymentProof(facet, ctx, input, price, terms);
  if (isTransfer(proof)) throw paymentRequired(facet, price, terms);
  try {
    if (!(await isKnown(ctx, proof, terms))) await ctx.services.paymentProcessor.verify(proof, terms);
  } catch (error) {
    throw asSaleRefusal({ facet, price, terms, proof }, error);
  }
  return walletOf(ctx, proof);
}

/** Whether this very signature was verified before. */
const isKnown = async ({ services }: Context, presented: Presented, terms: Parameters<typeof authorizationKey>[1]) =>
  (await findByNonce(services.db.rows, authorizationKey(presented, terms)))?.digest === presented.digest;

/** The payer as a caller: a signed payment is as fresh as a signed message, and its nonce is spent by the chain. */
async function walletOf({ services, request }: Context, { payer }: Presented): Promise<WalletCaller> {
  const found = await findOrCreateWalletPrincipal(services, payer, networkOf(request.address));
  if (found.disabled) throw new ServiceError('PAYMENT_CALLER_IDENTITY_NOT_ACTIVE');
  const { principal, authenticator } = found;
  return { kind: 'wallet', address: payer, principal, authenticator, spendNonce: async () => undefined };
}
