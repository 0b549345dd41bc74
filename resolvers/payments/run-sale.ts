import { ServiceError } from '../../core/errors.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import type { Payment } from '../../db/schema/payments.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import { identifierOf, isTransfer, tokenOf } from './payment-proof.ts';
import {
  failPayment,
  findByIdentifier,
  findByNonce,
  type HeldPayment,
  insertPayment,
  leavePayment,
  newLease,
  releasePayment,
  takePayment,
} from './payment-rows.ts';
import { keptHours, openOutcome } from './payment-settlement.ts';
import { redeemTransfer } from './redeem-transfer.ts';
import { asSaleRefusal, buyerOf, type PaidSale } from './sale.ts';
import { replay, settleAndRun } from './settle-and-run.ts';

/** What is said of a payment that somebody has used, or is using. */
const used = 'invalid_exact_evm_nonce_already_used';

/**
 * Sells a priced change: verifies what is presented, claims it, does the work that can fail, settles, and makes the
 * change in one transaction with the payment's row. Contract 00, sections 1.8 and 1.9.
 *
 * @throws PaymentRequired and its kin, or what the work itself is refused with
 */
export async function runSale(sale: PaidSale): Promise<unknown> {
  try {
    const { tender } = sale;
    return await (isTransfer(tender) ? redeemTransfer(sale, tender) : redeem(sale, tender));
  } catch (error) {
    throw asSaleRefusal(sale, error);
  }
}

async function redeem(sale: PaidSale, presented: Presented): Promise<unknown> {
  const { ctx, terms } = sale;
  const { db } = ctx.services;
  const identifier = identifierOf(presented);
  await refuseForeignIdentifier(sale, presented, identifier);
  const kept = onlyKeyOf(sale) ?? identifier;
  const { chainId, asset } = tokenOf(terms);
  const known = await findByNonce(db, [chainId, asset, presented.payer, presented.nonce]);
  if (known !== undefined) return again(sale, presented, { named: identifier, kept }, known);
  await ctx.services.paymentProcessor.verify(presented, terms);
  const held = await insertPayment(db, newPayment(sale, presented, kept), newLease());
  // Somebody was faster, with the same payment or for the same thing.
  if (held === undefined) throw await fasterOne(sale, presented);
  return settleAndRun(sale, held, presented, undefined);
}

/** What there is one of is kept under its own name, in place of the client's: what the client names is answered anyway. */
const onlyKeyOf = ({ facet, input }: PaidSale): string | undefined =>
  facet.family === 'platform' ? facet.onlyOne?.key(input) : undefined;

/** Why a payment could not be claimed. */
async function fasterOne({ ctx, facet, terms }: PaidSale, { payer, nonce }: Presented): Promise<Error> {
  const { chainId, asset } = tokenOf(terms);
  const same = await findByNonce(ctx.services.db, [chainId, asset, payer, nonce]);
  const isTaken = same === undefined && facet.family === 'platform' && facet.onlyOne !== undefined;
  return isTaken ? new ServiceError(facet.onlyOne.taken) : new PaymentRefused(used);
}

/** The same id names the same payment. @throws IDEMPOTENCY_KEY_REUSED */
async function refuseForeignIdentifier(sale: PaidSale, presented: Presented, identifier: string | undefined) {
  if (identifier === undefined) return;
  const named = await findByIdentifier(sale.ctx.services.db, identifier);
  if (named === undefined || named.digest === presented.digest) return;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    message: 'This payment-identifier was used with another payment.',
    nextActions: [{ type: 'edit_request', why: 'Give each payment an id of its own.' }],
  });
}

const newPayment = (sale: PaidSale, presented: Presented, identifier: string | undefined) => {
  const { op, ctx, price, terms, requestDigest } = sale;
  const { payer, nonce, validBefore } = presented;
  return {
    id: ctx.services.newId('txp'),
    sku: price.sku,
    operation: op.name,
    requestDigest,
    network: terms.network,
    ...tokenOf(terms),
    payer,
    payTo: terms.payTo.toLowerCase(),
    amount: String(terms.amount),
    version: presented.version,
    nonce,
    digest: presented.digest,
    validBefore: new Date(Math.min(Number(validBefore) * 1000, latest)),
    identifier: identifier ?? null,
    principalId: buyerOf(sale),
  };
};

/** The latest moment that is written: some sign payments that never expire. */
const latest = Date.UTC(9999, 0);

/** Goes on with a payment that was presented before. */
async function again(
  sale: PaidSale,
  presented: Presented,
  { named, kept }: { readonly named: string | undefined; readonly kept: string | undefined },
  row: Payment,
): Promise<unknown> {
  if (row.digest !== presented.digest) throw new PaymentRefused(used);
  if (row.state !== 'released') refuseOther(sale, row);
  if (row.state === 'delivered') return delivered(sale, row, named);
  const { ctx, op, price, terms, requestDigest } = sale;
  const { db, log } = ctx.services;
  const held = await takePayment(db, row, {
    sku: price.sku,
    operation: op.name,
    requestDigest,
    payTo: terms.payTo.toLowerCase(),
    identifier: kept ?? null,
    principalId: buyerOf(sale),
  }).catch(async (error: unknown) => {
    throw isUniqueViolation(error) ? await fasterOne(sale, { ...presented, nonce: '0x' }) : error;
  });
  // Somebody is at it.
  if (held === undefined) throw new PaymentRefused(used);
  let standing: Standing;
  try {
    standing = await standingOf(sale, held, presented);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    await (held.row.state === 'verified' ? releasePayment : leavePayment)(db, held, why).catch((failure: unknown) =>
      log.warn({ err: failure, payment: row.id }, 'A payment was left to its lease.'),
    );
    throw error;
  }
  if (standing.stored !== undefined) return replay(sale, held, standing.settlement!, standing.stored.output);
  return settleAndRun(sale, held, presented, standing.settlement);
}

/** A payment bought one thing for one buyer. @throws what the price says of it */
function refuseOther(sale: PaidSale, row: Payment): void {
  const { facet, requestDigest } = sale;
  const isOther = row.requestDigest !== requestDigest;
  if (facet.family === 'gateway') {
    if (isOther) throw new PaymentRefused(used);
    return;
  }
  const { forOther, byOther } = facet.reused ?? {
    forOther: 'PAYMENT_PROOF_MISMATCH',
    byOther: 'PAYMENT_PROOF_MISMATCH',
  };
  if (row.principalId !== buyerOf(sale)) throw new ServiceError(byOther);
  if (isOther) throw new ServiceError(forOther);
}

/** What is over is answered once more to clients of the platform, and to those who have named their payment. */
function delivered(sale: PaidSale, row: Payment, identifier: string | undefined): unknown {
  const stored = openOutcome(sale.ctx.services, row);
  const { facet, ctx } = sale;
  if (stored === undefined) throw new PaymentRefused(used);
  if (facet.family === 'platform') {
    ctx.setHeader?.('x-svc-payment-id', row.id);
    ctx.setHeader?.('x-svc-payment-deduplicated', 'true');
    ctx.setHeader?.('x-svc-payment-funds-moved', 'false');
    ctx.setHeader?.('x-svc-payment-delivery', 'replay');
    return facet.repeated === undefined ? stored.output : facet.repeated(stored.output);
  }
  if (identifier === undefined || identifier !== row.identifier) throw new PaymentRefused(used);
  return replay(sale, undefined, settlementOf(row), stored.output, row.version);
}

interface Standing {
  readonly settlement?: Settlement | undefined;
  readonly stored?: { readonly output: unknown } | undefined;
}

/** Where a payment stands that was begun before, as the ledger and the chain know it. */
async function standingOf(sale: PaidSale, { row, leaseToken }: HeldPayment, presented: Presented): Promise<Standing> {
  const { ctx, terms } = sale;
  const { services } = ctx;
  switch (row.state) {
    case 'settled': {
      const settlement = settlementOf(row);
      if (ctx.services.now().getTime() - settlement.blockTime.getTime() > keptHours * 3_600_000)
        throw new PaymentRefused(used);
      return { settlement, stored: openOutcome(services, row) };
    }
    case 'settling':
    case 'failed': {
      const options = { since: row.createdAt, ...(row.txHash === null ? {} : { transaction: row.txHash as Hex }) };
      const settlement = await services.paymentProcessor.find(presented, terms, options);
      if (settlement !== undefined) return { settlement };
      if (await services.paymentProcessor.isOpen(presented, terms)) return {};
      await failPayment(services.db, { row, leaseToken }, 'expired');
      throw new PaymentRefused('payment_expired');
    }
    default:
      await services.paymentProcessor.verify(presented, terms);
      return {};
  }
}

/** The settlement that a row tells of. */
function settlementOf(row: Payment): Settlement {
  return {
    network: row.network as Settlement['network'],
    chainId: Number(row.chainId),
    transaction: row.txHash as Settlement['transaction'],
    logIndex: row.logIndex,
    payer: row.payer as Settlement['payer'],
    amount: BigInt(row.amount),
    blockTime: row.settledAt!,
  };
}
