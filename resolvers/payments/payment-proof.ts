import { networks } from '../../engines/x402/networks.ts';
import { type Presented, readPresented, readProof, type TransactionHash } from '../../engines/x402/presented.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import type { Terms } from '../../engines/x402/terms.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { SaleFacet } from './sale-facet.ts';

/** What a request pays with: a signed authorization, or the hash of a transfer that was made already. */
export type PaymentProof = Presented | TransactionHash;

export const isTransfer = (proof: PaymentProof): proof is TransactionHash => 'transaction' in proof;

type AnyFacet = Pick<SaleFacet, 'family'> & { readonly proofInput?: string };

/** The text that a request presents as its payment, unread; undefined when it presents none. */
export function paymentProofText(ctx: Context, facet: AnyFacet, raw: object): string | undefined {
  return ctx.paymentContext?.signature ?? ctx.paymentContext?.legacy ?? proofOf(ctx, facet, raw);
}

function proofOf({ paymentContext }: Context, { proofInput }: AnyFacet, raw: object): string | undefined {
  if (paymentContext?.looksOnly === true) return undefined;
  const proof: unknown = proofInput === undefined ? undefined : (raw as Record<string, unknown>)[proofInput];
  return typeof proof === 'string' && proof !== '' ? proof : undefined;
}

/**
 * Reads what a request presents: `PAYMENT-SIGNATURE` before `X-PAYMENT` before an input. Contract 00, section 1.6.
 *
 * @throws PaymentRefused for what is no payment
 */
export function readPaymentProof(ctx: Context, facet: AnyFacet, raw: object): PaymentProof | undefined {
  const header = ctx.paymentContext?.signature ?? ctx.paymentContext?.legacy;
  if (header !== undefined) return readPresented(header);
  const proof = proofOf(ctx, facet, raw);
  return proof === undefined ? undefined : readProof(proof);
}

/** Ids that clients give payments by the extension `payment-identifier`. */
const identifierPattern = /^[a-zA-Z0-9_-]{16,128}$/;

/** The id that the client gave its payment. @throws PaymentRefused for one that cannot be it */
export function identifierOf({ extensions }: Presented): string | undefined {
  const extension = extensions?.['payment-identifier'] as { readonly info?: { readonly id?: unknown } } | undefined;
  const id = extension?.info?.id;
  if (id === undefined || id === null) return undefined;
  if (typeof id !== 'string' || !identifierPattern.test(id)) throw new PaymentRefused('invalid_payload');
  return id;
}

/** The token that a network is paid in, as the ledger names it. */
export const tokenOf = ({ network }: Pick<Terms, 'network'>) => {
  const { chainId, usdc } = networks[network];
  return { chainId: BigInt(chainId), asset: usdc.address.toLowerCase() };
};

/** The key of an authorization in the ledger: the token takes each nonce of a payer once. */
export const authorizationKey = ({ payer, nonce }: Presented, terms: Pick<Terms, 'network'>) => ({
  ...tokenOf(terms),
  payer,
  nonce,
});
