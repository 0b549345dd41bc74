import { ServiceError } from '../../core/errors.ts';
import { safeMessage } from '../../core/safe-message.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import type { Payment } from '../../db/schema/payments.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { reportPayment, reportSettlement } from './payment-answer.ts';
import { type HeldPayment, renewLease } from './payment-rows.ts';
import {
  deliverPayment,
  dropTransfer,
  failPayment,
  handOver,
  LeaseLostError,
  LicensedTransferError,
  noteTransaction,
  recordSettlement,
  releaseLease,
  releasePayment,
  takeBackPayment,
  transactionUsed,
} from './payment-transitions.ts';
import { asSaleRefusal, type PaidSale, SettlementRefused } from './sale.ts';

/** Where a payment may be between the request that presents it and the answer, and what is known there. */
interface States {
  /** The request shows it. */
  readonly presented: object;
  /** There is a row of it. */
  readonly known: { readonly row: Payment; readonly settlement?: Settlement | undefined };
  /** This process holds the row, which a request before it has left. */
  readonly taken: { readonly held: HeldPayment; readonly settlement?: Settlement | undefined };
  /** This process holds the row. Its settlement is known where it is paid already. */
  readonly claimed: { readonly held: HeldPayment; readonly settlement?: Settlement | undefined };
  /** The work that can fail is done; `noted` resolves once the row says that the payment is handed over. */
  readonly settling: { readonly held: HeldPayment; readonly prepared: unknown; readonly noted: Promise<void> };
  /** It is paid; the change that it pays for has yet to be made. */
  readonly settled: { readonly held: HeldPayment; readonly settlement: Settlement; readonly prepared: unknown };
  /** The change is made, and its answer is stored. */
  readonly stored: { readonly held: HeldPayment; readonly settlement: Settlement; readonly output: unknown };
  readonly answered: { readonly output: unknown };
}

/** A payment in one of some states. */
export type State<Name extends keyof States> = { [One in Name]: { readonly at: One } & States[One] }[Name];

/** Everything that the steps of one sale share. */
export interface Checkout {
  readonly sale: PaidSale;
  /** Ends the renewal of the lease. */
  stopRenewing: () => void;
}

interface Step<From extends keyof States, To extends keyof States> {
  readonly run: (checkout: Checkout, state: State<From>) => Promise<State<To>>;
  /** Leaves the payment as the next request or the job shall find it. @returns the error to answer with */
  readonly failed?: (checkout: Checkout, state: State<From>, error: unknown) => Promise<unknown>;
}

/** The steps of a sale: each state beside the states that its step may lead to. */
export interface Steps {
  readonly presented: Step<'presented', 'known' | 'claimed'>;
  readonly known: Step<'known', 'taken' | 'answered'>;
  readonly taken: Step<'taken', 'claimed' | 'stored'>;
  readonly claimed: Step<'claimed', 'settling' | 'settled'>;
  readonly settling: Step<'settling', 'settled'>;
  readonly settled: Step<'settled', 'stored' | 'answered'>;
  readonly stored: Step<'stored', 'answered'>;
}

/**
 * Sells a priced change: claims what is presented, does the work that can fail, settles, and makes the change in one
 * transaction with the payment's row. Contract 00, sections 1.8 and 1.9.
 *
 * @throws PaymentRequired and its kin, or the refusal of the work itself
 */
export async function runSale(sale: PaidSale, steps: Steps): Promise<unknown> {
  const checkout: Checkout = { sale, stopRenewing: () => undefined };
  let isHeld = false;
  try {
    let state: State<keyof States> = { at: 'presented' };
    while (state.at !== 'answered') {
      if ('held' in state && !isHeld) {
        isHeld = true;
        checkout.stopRenewing = renewLease(sale.ctx.services, state.held);
      }
      state = await take(checkout, steps[state.at] as Step<keyof States, keyof States>, state);
    }
    return state.output;
  } catch (error) {
    throw asSaleRefusal(sale, error);
  }
}

async function take(checkout: Checkout, { run, failed }: Step<keyof States, keyof States>, state: State<keyof States>) {
  try {
    return await run(checkout, state);
  } catch (error) {
    checkout.stopRenewing();
    throw failed === undefined ? error : await failed(checkout, state, error);
  }
}

/** Waits for the note of why a payment was left; without it the payment is free once its lease ends. */
export const orUntilLeaseEnds = ({ ctx }: PaidSale, { row }: HeldPayment, noted: Promise<void>): Promise<void> =>
  noted.catch((failure: unknown) =>
    ctx.services.log.warn({ err: failure, payment: row.id }, 'A payment was left to its lease.'),
  );

/** The work that can fail comes before anything is paid. */
const claimed: Steps['claimed'] = {
  async run({ sale }, { held, settlement }) {
    const { ctx, goods } = sale;
    const prepared = await goods.prepare(sale, held, settlement !== undefined);
    if (settlement !== undefined) return { at: 'settled', held, settlement, prepared };
    // A client that has hung up pays for nothing.
    if (ctx.signal.aborted) throw new ServiceError('REQUEST_TIMEOUT');
    return { at: 'settling', held, prepared, noted: handOver(ctx.services.db.rows, held) };
  },
  // Before it is handed over a payment is given back; what may have been paid stays to be claimed.
  async failed({ sale }, { held, settlement }, error) {
    const isUnused = held.row.state === 'verified';
    const giveBack = settlement === undefined ? releasePayment : held.row.version === 0 ? dropTransfer : releaseLease;
    const { rows } = sale.ctx.services.db;
    await orUntilLeaseEnds(sale, held, (isUnused ? giveBack : releaseLease)(rows, held, safeMessage(error)));
    return error;
  },
};

const settling: Steps['settling'] = {
  async run({ sale }, { held, prepared, noted }) {
    const { ctx, terms, proof } = sale;
    const { paymentProcessor, db } = ctx.services;
    // A transfer that was presented by its hash is settled already, and never comes here.
    const settlement = await paymentProcessor.settle(proof as Presented, terms, {
      noted,
      broadcast: (transaction) => noteTransaction(db.rows, held, transaction),
      ...(held.row.txHash === null ? {} : { previous: held.row.txHash as Hex }),
    });
    await noted;
    return { at: 'settled', held, settlement, prepared };
  },
  async failed({ sale }, { held, noted }, error) {
    const { db, log } = sale.ctx.services;
    // Without the note nothing was handed over, and its own failure is the answer.
    await noted;
    if (error instanceof PaymentRefused) {
      await failPayment(db.rows, held, error.reason);
      return new SettlementRefused(error.reason, error.transaction);
    }
    if (error instanceof PaymentsUnavailable)
      log.warn({ payment: held.row.id, reason: error.message }, 'A payment could not be handed over.');
    // Neither this try nor one before has handed it over: the same payment is good for anything again.
    const isUnsent = error instanceof PaymentsUnavailable && held.row.state === 'verified';
    const why = error instanceof PaymentPending ? 'settlement_pending' : safeMessage(error);
    await (isUnsent ? takeBackPayment : releaseLease)(db.rows, held, why);
    return error;
  },
};

/** Makes what is paid for. What is refused now is paid for, and can be claimed. */
const settled: Steps['settled'] = {
  async run({ sale, stopRenewing }, { held, settlement, prepared }) {
    const { output, isKept } = await sale.goods.deliver(sale, { held, settlement, prepared });
    if (isKept) return { at: 'stored', held, settlement, output };
    reportPayment(sale, held.row, settlement);
    stopRenewing();
    await orUntilLeaseEnds(sale, held, releaseLease(sale.ctx.services.db.rows, held, 'the answer is not kept'));
    return { at: 'answered', output };
  },
  async failed({ sale }, { held, settlement }, error) {
    const { services } = sale.ctx;
    if (error instanceof LeaseLostError) return error;
    if (isTransferTwice(error) || error instanceof LicensedTransferError) {
      await failPayment(services.db.rows, held, transactionUsed);
      return new PaymentRefused(transactionUsed);
    }
    services.log.warn({ err: error, payment: held.row.id }, 'What was paid for could not be made yet.');
    await recordSettlement(services, held, { settlement, error: safeMessage(error) }).catch((failure: unknown) =>
      services.log.warn({ err: failure, payment: held.row.id }, 'A settlement was left to be reconciled.'),
    );
    reportSettlement(sale, held.row.version, settlement);
    return new ServiceError('PAYMENT_RECOVERY_PENDING', {
      retryAfter: 5,
      details: { payment_id: held.row.id, ...(error instanceof ServiceError ? { reason: error.code } : {}) },
      extras: { funds_moved: true, payment_id: held.row.id },
      cause: error,
    });
  },
};

/** One transfer pays once. */
const isTransferTwice = (error: unknown) =>
  isUniqueViolation(error) && (error as { readonly constraint?: string }).constraint === 'payments_transfer_uq';

/** Ends the payment once its answer is written out. An answer that could not be written stays to be claimed. */
const stored: Steps['stored'] = {
  async run({ sale, stopRenewing }, { held, settlement, output }) {
    const { services, paymentContext } = sale.ctx;
    reportPayment(sale, held.row, settlement);
    const end = (written: boolean) => {
      stopRenewing();
      const { rows } = services.db;
      const noted = written ? deliverPayment(rows, held) : releaseLease(rows, held, 'not written out');
      noted.catch((error: unknown) =>
        services.log.warn({ err: error, payment: held.row.id }, 'A delivery could not be noted.'),
      );
    };
    if (paymentContext === undefined) end(true);
    else paymentContext.sent(end);
    return { at: 'answered', output };
  },
};

/** The steps from the claim on, which are the same however a payment is presented. */
export const claimedSteps = { claimed, settling, settled, stored } as const;
