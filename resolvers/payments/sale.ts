import { ServiceError } from '../../core/errors.ts';
import type { RoutedPayment } from '../../db/schema/payments.ts';
import { type NetworkName, networks } from '../../engines/x402/networks.ts';
import { failedOutcome } from '../../engines/x402/outcomes.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { encodeHeader, type Terms } from '../../engines/x402/terms.ts';
import { type Caller, principalIdOf } from '../../kernel/access/caller.ts';
import { type IdempotencyLease, inputDigest } from '../../kernel/durability/idempotency.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { AnyMutation } from '../../kernel/run/operation.ts';
import type { AnyPrice, GatewayPrice, Price } from '../../kernel/run/price.ts';
import type { Run } from '../../kernel/run/run.ts';
import {
  authorizationKey,
  isTransfer,
  type PaymentProof,
  paymentProofText,
  readPaymentProof,
} from './payment-proof.ts';
import { paymentRequired, termsOf } from './payment-required.ts';
import { findByNonce, type HeldPayment } from './payment-rows.ts';
import { LeaseLostError } from './payment-transitions.ts';
import type { SaleFacet } from './sale-facet.ts';

/** A paid thing on its way: what is sold to whom, and what is presented for it. */
export interface Sale {
  readonly goods: Goods;
  readonly facet: SaleFacet;
  readonly ctx: Context;
  readonly caller: Caller;
  readonly input: unknown;
  readonly price: Price;
  /** What the payment has to meet. */
  readonly terms: Terms;
  /** What a payment has to meet that is signed now, where that is something else. @default the terms */
  readonly offered?: Terms;
  readonly proof: PaymentProof;
  /** Which input of which operation, and under `/api` on which path: a payment is good for no other. */
  readonly requestDigest: string;
}

/** What is sold, as the steps of a payment need it. */
export interface Goods {
  /** Names it in the ledger. */
  readonly name: string;
  /** Which call of which project it is, where a route is what is sold. */
  readonly routed?: { readonly projectId: string; readonly call: RoutedPayment };
  /** Does the work that can fail. @param isPaid whether what was presented is paid already */
  readonly prepare: (sale: PaidSale, held: HeldPayment, isPaid: boolean) => Promise<unknown>;
  /** Makes what was paid for, and notes the settlement in the payment's row. @param made.prepared what `prepare` made */
  readonly deliver: (sale: PaidSale, made: Made) => Promise<Delivery>;
}

interface Made {
  readonly held: HeldPayment;
  readonly settlement: Settlement;
  readonly prepared: unknown;
}

interface Delivery {
  readonly output: unknown;
  /** Whether the row has the answer; else the same payment has it made once more. */
  readonly isKept: boolean;
}

/** A refusal of the chain, told of by a settlement header. */
export class SettlementRefused extends PaymentRefused {}

/**
 * Asks for the price before anything else of a request is looked at, its input among it: without a payment, and with one
 * that cannot be for it, a client learns the price alone.
 *
 * @throws PaymentRequired
 */
export async function askGatewayPrice(facet: GatewayPrice, ctx: Context, raw: object): Promise<void> {
  ctx.chargeAddress();
  const terms = await termsOf(ctx, facet.price);
  if (paymentProofText(ctx, facet, raw) === undefined) throw paymentRequired(facet, facet.price, terms);
  requirePaymentProof(facet, ctx, raw, facet.price, terms);
}

/**
 * Asks for a payment where one is due. What is presented is held against the price as far as that needs no chain.
 *
 * @returns undefined when nothing is to be paid
 * @throws PaymentRequired
 */
export async function openSale(
  { op, ctx, caller, scope, input }: Run<AnyMutation>,
  facet: AnyPrice,
  goods: Goods,
): Promise<Sale | undefined> {
  const price = await priceOf(facet, { ...ctx, ...scope }, input);
  const requestDigest = digestOf(op, facet, ctx, input);
  if (price === undefined) {
    // What was bought by this very payment is answered, whatever may be had without one by now.
    const bought = facet.family === 'platform' ? await boughtBefore(ctx, facet, input as object) : undefined;
    if (bought === undefined) return undefined;
    return { goods, facet, ctx, caller, input, requestDigest, ...bought, terms: await termsOf(ctx, bought.price) };
  }
  const terms = await termsOf(ctx, price);
  const proof = requirePaymentProof(facet, ctx, input as object, price, terms);
  return { goods, facet, ctx, caller, input, price, terms, proof, requestDigest };
}

const priceOf = async (facet: AnyPrice, ctx: Context, input: unknown): Promise<Price | undefined> =>
  facet.family === 'gateway' ? facet.price : facet.quote(ctx, input);

/** What a request pays with. @throws PaymentRequired when there is nothing, or it cannot be for this price */
export function requirePaymentProof(
  facet: AnyPrice,
  ctx: Context,
  raw: object,
  price: Price,
  terms: Terms,
): PaymentProof {
  try {
    const proof = readPaymentProof(ctx, facet, raw);
    if (proof === undefined) throw paymentRequired(facet, price, terms);
    if (!isTransfer(proof)) ctx.services.paymentProcessor.match(proof, terms);
    return proof;
  } catch (error) {
    throw asSaleRefusal({ facet, price, terms }, error);
  }
}

async function boughtBefore(ctx: Context, facet: AnyPrice, input: object) {
  let proof: PaymentProof | undefined;
  try {
    proof = readPaymentProof(ctx, facet, input);
  } catch {
    // Nothing has to be paid, so what is presented need not be a payment.
    return undefined;
  }
  if (proof === undefined || isTransfer(proof)) return undefined;
  const network = networkNamed(proof.network);
  if (network === undefined) return undefined;
  const row = await findByNonce(ctx.services.db.rows, authorizationKey(proof, { network }));
  if (row?.outcome == null || row.digest !== proof.digest) return undefined;
  const price = { sku: row.sku, amount: proof.value, network, description: '', maxTimeoutSeconds: 300 };
  return { proof, price };
}

export const networkNamed = (name: string): NetworkName | undefined =>
  Object.values(networks).find((network) => network.name === name || network.caip2 === name)?.name;

function digestOf(op: AnyMutation, facet: AnyPrice, { paymentContext }: Context, input: unknown): string {
  const business: Record<string, unknown> = { ...(input as object) };
  if (facet.family === 'gateway' && facet.proofInput !== undefined) delete business[facet.proofInput];
  return inputDigest([op.name, facet.family === 'gateway' ? (paymentContext?.path ?? '') : '', business]);
}

/** What the payment layer's own errors are told as; everything else stays what it is. */
export function asSaleRefusal(
  {
    facet,
    price,
    terms,
    offered = terms,
    proof,
  }: Pick<Sale, 'facet' | 'price' | 'terms' | 'offered'> & Partial<Pick<Sale, 'proof'>>,
  error: unknown,
): unknown {
  const presented = proof === undefined || isTransfer(proof) ? undefined : proof;
  const settlement = (reason: string, transaction: string | undefined): Record<string, string> =>
    presented === undefined
      ? {}
      : {
          [settlementHeader(presented.version)]: encodeHeader(
            failedOutcome(presented.version, terms.network, presented.payer, reason, transaction),
          ),
        };
  // Somebody else has taken it over, and goes on with it.
  if (error instanceof LeaseLostError)
    return paymentRequired(facet, price, offered, { reason: 'invalid_exact_evm_nonce_already_used' });
  if (error instanceof PaymentRefused) {
    const { reason, transaction } = error;
    const headers = error instanceof SettlementRefused ? settlement(reason, transaction) : {};
    return paymentRequired(facet, price, offered, { reason, headers, extras: { funds_moved: false } });
  }
  if (error instanceof PaymentPending) {
    const reason = 'settlement_pending';
    const isPlatform = facet.family !== 'gateway';
    return paymentRequired(facet, price, offered, {
      reason,
      retryAfter: 5,
      headers: {
        ...settlement(reason, error.transaction),
        ...(isPlatform ? { 'x-svc-payment-intent-state': 'pending' } : {}),
      },
      extras: { funds_moved: 'unknown' },
      ...(isPlatform
        ? { code: 'PAYMENT_INTENT_PENDING', message: 'The payment is being settled; send the same request again.' }
        : {}),
    });
  }
  if (error instanceof PaymentsUnavailable) {
    return new ServiceError('PAYMENTS_UNAVAILABLE', { retryAfter: 5, cause: error });
  }
  return error;
}

/** The header that clients of a version read of what came of a payment. */
export const settlementHeader = (version: number) => (version === 1 ? 'x-payment-response' : 'payment-response');

/** The idempotency key's claim goes along, so that its outcome is stored with what was bought. */
export interface PaidSale extends Sale {
  readonly claim: IdempotencyLease | undefined;
}

export const buyerOf = ({ caller }: Pick<Sale, 'caller'>): string | null => principalIdOf(caller);

/** The purpose that a payment is claimed for: what is sold, for which input, to whom, paid to which wallet. */
export const purposeOf = (sale: Sale) => ({
  sku: sale.price.sku,
  operation: sale.goods.name,
  requestDigest: sale.requestDigest,
  payTo: sale.terms.payTo.toLowerCase(),
  principalId: buyerOf(sale),
  projectId: sale.goods.routed?.projectId ?? null,
  routed: sale.goods.routed === undefined ? null : JSON.stringify(sale.goods.routed.call),
});
