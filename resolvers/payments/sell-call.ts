import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { RoutePricing } from '../../engines/release/model.ts';
import { type Address, type NetworkName, networks } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import type { Terms } from '../../engines/x402/terms.ts';
import { inputDigest } from '../../kernel/durability/idempotency.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Price } from '../../kernel/run/price.ts';
import { payoutRecoveries } from '../orgs/shared/payout-recovery.ts';
import { authorizationSteps } from './authorization.ts';
import { runSale } from './payment-machine.ts';
import { keptHours } from './payment-outcome.ts';
import { authorizationKey, isTransfer, readPaymentProof } from './payment-proof.ts';
import { paymentRequired, termsOf } from './payment-required.ts';
import { findByNonce, type HeldPayment } from './payment-rows.ts';
import { settleAlone } from './payment-transitions.ts';
import { asSaleRefusal, type Goods, networkNamed } from './sale.ts';
import type { RoutePrice } from './sale-facet.ts';

/** What a function has answered, whole. */
interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A call by a route that has a price. */
export interface PricedCall {
  readonly orgId: string;
  readonly projectId: string;
  readonly releaseId: string;
  readonly pattern: string;
  readonly functionName: string;
  readonly pricing: RoutePricing;
  readonly method: string;
  readonly host: string;
  /** With its query. */
  readonly target: string;
  readonly requestId: string;
  /** Read once a payment is presented. */
  readonly body: () => Promise<Buffer>;
  /** Calls the function. @param payment headers that tell it of its payment */
  readonly run: (payment: Readonly<Record<string, string | undefined>>) => Promise<Reply>;
}

/** Where payments of a kind are made. */
const networkNames = { mainnet: 'base', testnet: 'base-sepolia' } as const satisfies Record<string, NetworkName>;

/** Largest answer that is kept for its payment, in bytes: a larger one is made anew for whoever presents that again. */
const keptBytesMax = 256 * 1024;

/**
 * Has a route's function called once its price is paid to the organization's wallet. What it answers is kept with the payment, but for
 * failures of its own and what is too large: those are had anew by the same payment. Contract 03, sections 2.11 and 3.8.
 *
 * @throws PaymentRequired and its kin, PAYOUT_WALLET_UNRESOLVED, PAYMENT_RECOVERY_PENDING
 */
export async function sellCall(ctx: Context, call: PricedCall): Promise<Reply> {
  const price = await priceOf(ctx, call);
  const offered = await termsOf(ctx, price);
  const { proof, terms } = await presentedFor(ctx, call, price, offered);
  const { projectId, method, target } = call;
  const key = ctx.request.idempotencyKey ?? null;
  const bodyDigest = createHash('sha256')
    .update(await call.body())
    .digest('hex');
  const output = await runSale(
    {
      goods: goodsOf(call, key),
      // Keys are each payer's own.
      facet: {
        ...unnamed,
        key: key === null ? undefined : inputDigest(['route', projectId, proof.payer.toLowerCase(), key]),
      },
      ctx,
      caller: { kind: 'nobody' },
      input: {},
      price,
      offered,
      terms,
      proof,
      requestDigest: inputDigest(['route', projectId, method, target, bodyDigest, key]),
      claim: undefined,
    },
    authorizationSteps,
  );
  const reply = output as Reply;
  return { ...reply, body: Buffer.from(reply.body) };
}

const unnamed: RoutePrice = { family: 'route', key: undefined };

/**
 * What a call pays with, and what that has to meet: today's price, or the one that it met when it was presented first.
 *
 * @throws PaymentRequired
 */
async function presentedFor(ctx: Context, { projectId }: PricedCall, price: Price, offered: Terms) {
  try {
    const proof = readPaymentProof(ctx, unnamed, {});
    if (proof === undefined || isTransfer(proof)) throw paymentRequired(unnamed, price, offered);
    const terms = acceptedTerms(proof, price, offered);
    const row = await findByNonce(ctx.services.db.rows, authorizationKey(proof, terms));
    const isKnown = row?.projectId === projectId && row.digest === proof.digest && row.state !== 'released';
    const met = isKnown ? { ...terms, payTo: row.payTo as Address, amount: BigInt(row.amount) } : terms;
    ctx.services.paymentProcessor.match(proof, met);
    return { proof, terms: met };
  } catch (error) {
    throw asSaleRefusal({ facet: unnamed, price, terms: offered }, error);
  }
}

/** What a payment has to meet, on the network that its payer has chosen of those that the price may be paid on. */
function acceptedTerms({ network: name }: Presented, { alsoOn = [] }: Price, terms: Terms): Terms {
  const network = networkNamed(name);
  return network !== undefined && alsoOn.includes(network) ? { ...terms, network } : terms;
}

/** @throws PAYOUT_WALLET_UNRESOLVED */
async function priceOf({ services }: Context, { orgId, pricing, method, pattern }: PricedCall): Promise<Price> {
  const [payout] = await payoutRecoveries(services.db.rows, [orgId]);
  if (payout?.wallet == null)
    throw new ServiceError('PAYOUT_WALLET_UNRESOLVED', { message: 'Nobody can be paid for this now.' });
  const [network, ...alsoOn] = pricing.networks.map((name) => networkNames[name]);
  return {
    sku: 'route',
    amount: BigInt(pricing.amountUsdMicros),
    network: network!,
    alsoOn,
    payTo: payout.wallet as Address,
    description: `A call of ${method} ${pattern}`,
    maxTimeoutSeconds: 300,
  };
}

const goodsOf = (call: PricedCall, key: string | null): Goods => ({
  name: 'routes.call',
  routed: {
    projectId: call.projectId,
    call: {
      release_id: call.releaseId,
      pattern: call.pattern,
      method: call.method,
      function: call.functionName,
      host: call.host,
      path: call.target.split('?')[0]!,
      request_id: call.requestId,
      amount_usd_micros: call.pricing.amountUsdMicros,
    },
  },
  prepare: async () => undefined,
  async deliver({ ctx: { services } }, { held, settlement }) {
    await settleAlone(services, held, { settlement, goesOn: true });
    const reply = await call.run(headersOf(call, key, held, settlement));
    const isKept = reply.status < 500 && reply.body.length <= keptBytesMax;
    if (isKept) await settleAlone(services, held, { settlement, outcome: { output: reply } });
    return { output: reply, isKept };
  },
});

/** What a function is told of its payment. Contract 03, section 3.8; contract 02, section 7.8. */
function headersOf(
  { pricing }: PricedCall,
  key: string | null,
  { row }: HeldPayment,
  { network, payer, transaction, blockTime }: Settlement,
): Readonly<Record<string, string | undefined>> {
  // One that was settled before was handed to the function before, which may have failed.
  const isAgain = row.state === 'settled';
  return {
    'x-svc-payment-scheme': 'x402',
    'x-svc-payment-id': row.id,
    'x-svc-payment-idempotency-key': key ?? undefined,
    'x-svc-payment-deduplicated': String(isAgain),
    'x-svc-payment-delivery': isAgain ? 'replay' : 'first',
    'x-svc-payment-amount-usd-micros': String(pricing.amountUsdMicros),
    'x-svc-payment-payer': payer,
    'x-svc-payment-network': networks[network].caip2,
    'x-svc-payment-asset': networks[network].usdc.address,
    'x-svc-payment-pay-to': row.payTo,
    'x-svc-payment-transaction': transaction,
    'x-svc-payment-settled-at': blockTime.toISOString(),
    'x-svc-payment-context-expires-at': new Date(blockTime.getTime() + keptHours * 3_600_000).toISOString(),
    'x-svc-payment-receipt-mode': pricing.receipt,
  };
}
