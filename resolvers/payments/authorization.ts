import { ServiceError } from '../../core/errors.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import type { Payment } from '../../db/schema/payments.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import { PaymentPending, PaymentRefused } from '../../engines/x402/refusals.ts';
import { reportDelivery, reportSettlement } from './payment-answer.ts';
import { claimedSteps, orUntilLeaseEnds, type State, type Steps } from './payment-machine.ts';
import { keptHours, openOutcome } from './payment-outcome.ts';
import { authorizationKey, identifierOf } from './payment-proof.ts';
import { findByIdentifier, findByNonce, insertPayment, newLease, takePayment } from './payment-rows.ts';
import { failPayment, releaseLease, releasePayment } from './payment-transitions.ts';
import { buyerOf, type PaidSale, purposeOf } from './sale.ts';

/** The reason to refuse a payment that was used, or that another request is working on. */
const authorizationUsed = 'invalid_exact_evm_nonce_already_used';

const presentedBy = ({ proof }: PaidSale) => proof as Presented;

const presented: Steps['presented'] = {
  async run({ sale }) {
    const { paymentProcessor, db } = sale.ctx.services;
    const payment = presentedBy(sale);
    await refuseForeignIdentifier(sale);
    const row = await findByNonce(db.rows, authorizationKey(payment, sale.terms));
    if (row !== undefined) return { at: 'known', row };
    await paymentProcessor.verify(payment, sale.terms);
    const held = await insertPayment(db.rows, newPayment(sale), newLease());
    if (held === undefined) throw await whyNotClaimed(sale);
    return { at: 'claimed', held };
  },
};

/** Goes on with a payment that was presented before. */
const known: Steps['known'] = {
  async run({ sale }, { row }) {
    if (row.digest !== presentedBy(sale).digest) throw new PaymentRefused(authorizationUsed);
    if (row.state !== 'released') refuseOther(sale, row);
    if (row.state === 'delivered') return delivered(sale, row);
    const reclaim = { ...purposeOf(sale), identifier: keptIdentifier(sale) };
    const held = await takePayment(sale.ctx.services.db.rows, row, reclaim).catch((error: unknown) => {
      throw isUniqueViolation(error) ? alreadySold(sale) : error;
    });
    return held === undefined ? heldElsewhere(sale) : { at: 'taken', held };
  },
};

/** Goes on from where the ledger and the chain know the payment to be. */
const taken: Steps['taken'] = {
  async run({ sale }, { held }) {
    const { services } = sale.ctx;
    const { row } = held;
    switch (row.state) {
      case 'settled': {
        const settlement = settlementOf(row);
        if (services.now().getTime() - settlement.blockTime.getTime() > keptHours * 3_600_000)
          throw new PaymentRefused(authorizationUsed);
        const outcome = openOutcome(services, row);
        return outcome === undefined
          ? { at: 'claimed', held, settlement }
          : { at: 'stored', held, settlement, output: outcome.output };
      }
      case 'settling':
      case 'failed': {
        const where = { since: row.createdAt, ...(row.txHash === null ? {} : { transaction: row.txHash as Hex }) };
        const settlement = await services.paymentProcessor.find(presentedBy(sale), sale.terms, where);
        if (settlement === undefined && !(await services.paymentProcessor.isOpen(presentedBy(sale), sale.terms))) {
          await failPayment(services.db.rows, held, 'expired');
          throw new PaymentRefused('payment_expired');
        }
        return { at: 'claimed', held, settlement };
      }
      default:
        await services.paymentProcessor.verify(presentedBy(sale), sale.terms);
        return { at: 'claimed', held };
    }
  },
  async failed({ sale }, { held }, error) {
    const why = error instanceof Error ? error.message : 'unknown';
    const leave = held.row.state === 'verified' ? releasePayment : releaseLease;
    await orUntilLeaseEnds(sale, held, leave(sale.ctx.services.db.rows, held, why));
    return error;
  },
};

/** The steps of a payment that its payer has signed, and that the gateway hands to the chain. */
export const authorizationSteps: Steps = { presented, known, taken, ...claimedSteps };

/** A change that is sold once is kept under its own name in place of the client's, which is answered anyway. */
const keptIdentifier = (sale: PaidSale): string | null => {
  const { facet, input } = sale;
  const only =
    facet.family === 'route' ? facet.key : facet.family === 'platform' ? facet.onlyOne?.key(input) : undefined;
  return only ?? identifierOf(presentedBy(sale)) ?? null;
};

/** Why a payment could not be claimed: another request was faster, with the same payment or for the same thing. */
async function whyNotClaimed(sale: PaidSale): Promise<Error> {
  const same = await findByNonce(sale.ctx.services.db.rows, authorizationKey(presentedBy(sale), sale.terms));
  return same === undefined ? alreadySold(sale) : inWork(sale);
}

function alreadySold({ facet }: PaidSale): Error {
  if (facet.family === 'platform' && facet.onlyOne !== undefined) return new ServiceError(facet.onlyOne.taken);
  if (facet.family === 'route' && facet.key !== undefined)
    return new ServiceError('IDEMPOTENCY_KEY_REUSED', {
      message: 'Another payment was made under this Idempotency-Key: send that one again, or use another key.',
    });
  return new PaymentRefused(authorizationUsed);
}

/** Another request works on the very payment: whoever paid for a call asks once more, under the same key. */
const inWork = ({ facet }: PaidSale): Error =>
  facet.family === 'route' ? new PaymentPending('') : new PaymentRefused(authorizationUsed);

/** The same id names the same payment. @throws IDEMPOTENCY_KEY_REUSED */
async function refuseForeignIdentifier(sale: PaidSale): Promise<void> {
  const { digest } = presentedBy(sale);
  const identifier = identifierOf(presentedBy(sale));
  if (identifier === undefined) return;
  const named = await findByIdentifier(sale.ctx.services.db.rows, identifier);
  if (named === undefined || named.digest === digest) return;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    message: 'This payment-identifier was used with another payment.',
    nextActions: [{ type: 'edit_request', why: 'Give each payment an id of its own.' }],
  });
}

/** The latest moment that is written: some sign payments that never expire. */
const latest = Date.UTC(9999, 0);

const newPayment = (sale: PaidSale) => {
  const payment = presentedBy(sale);
  return {
    id: sale.ctx.services.newId('txp'),
    ...purposeOf(sale),
    network: sale.terms.network,
    ...authorizationKey(payment, sale.terms),
    amount: String(sale.terms.amount),
    version: payment.version,
    digest: payment.digest,
    validBefore: new Date(Math.min(Number(payment.validBefore) * 1000, latest)),
    identifier: keptIdentifier(sale),
    txHash: null,
    logIndex: null,
    partOf: null,
  };
};

/** A payment bought one thing for one buyer. @throws as the price says */
function refuseOther(sale: PaidSale, row: Payment): void {
  const { facet, requestDigest } = sale;
  const isOther = row.requestDigest !== requestDigest;
  if (facet.family === 'gateway') {
    if (isOther) throw new PaymentRefused(authorizationUsed);
    return;
  }
  const { forOther, byOther } = (facet.family === 'platform' ? facet.reused : undefined) ?? {
    forOther: 'PAYMENT_PROOF_MISMATCH',
    byOther: 'PAYMENT_PROOF_MISMATCH',
  };
  if (row.principalId !== buyerOf(sale)) throw new ServiceError(byOther);
  if (isOther) throw new ServiceError(forOther);
}

/**
 * A delivered answer is given once more to clients of the platform, and to those that have named their payment: once it
 * is on the chain, everybody can read it there, but not its name.
 */
function delivered(sale: PaidSale, row: Payment): State<'answered'> {
  const { facet, ctx } = sale;
  const outcome = openOutcome(ctx.services, row);
  if (outcome === undefined) throw new PaymentRefused(authorizationUsed);
  const { output } = outcome;
  if (facet.family === 'platform') {
    reportDelivery(sale, row.id, 'replay');
    return { at: 'answered', output: facet.repeated === undefined ? output : facet.repeated(output) };
  }
  const named = keptIdentifier(sale);
  if (named === null || named !== row.identifier) throw new PaymentRefused(authorizationUsed);
  if (facet.family === 'route') {
    reportDelivery(sale, row.id, 'replay');
    return { at: 'answered', output };
  }
  reportSettlement(sale, row.version, settlementOf(row));
  return { at: 'answered', output };
}

/** Another request works on the payment. What that has made is answered here as well: its own answer may be on its way. */
async function heldElsewhere(sale: PaidSale): Promise<State<'answered'>> {
  const row = await findByNonce(sale.ctx.services.db.rows, authorizationKey(presentedBy(sale), sale.terms));
  if (row?.outcome == null) throw inWork(sale);
  refuseOther(sale, row);
  return delivered(sale, row);
}

/** The settlement that a row tells of. */
const settlementOf = (row: Payment): Settlement => ({
  network: row.network as Settlement['network'],
  chainId: Number(row.chainId),
  transaction: row.txHash as Settlement['transaction'],
  logIndex: row.logIndex,
  payer: row.payer as Settlement['payer'],
  amount: BigInt(row.amount),
  blockTime: row.settledAt!,
});
