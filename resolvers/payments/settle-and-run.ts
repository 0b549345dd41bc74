import { ServiceError } from '../../core/errors.ts';
import { safeMessage } from '../../core/safe-message.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { type Hex, networks } from '../../engines/x402/networks.ts';
import { paidOutcome } from '../../engines/x402/outcomes.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { encodeHeader } from '../../engines/x402/terms.ts';
import { auditRow } from '../../kernel/durability/audit-log.ts';
import { outcomeRow } from '../../kernel/durability/idempotency.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { orgOf } from '../../kernel/run/operation.ts';
import type { PaidFor } from '../../kernel/run/price.ts';
import { paymentEvents } from './event-types.ts';
import {
  dropTransfer,
  failPayment,
  type HeldPayment,
  LeaseLostError,
  leavePayment,
  markDelivered,
  markSettling,
  noteTransaction,
  releasePayment,
  renewLease,
  takeBackPayment,
} from './payment-rows.ts';
import {
  alreadyUsed,
  LicensedTransferError,
  lockTransfer,
  recordSettlement,
  settlePayment,
} from './payment-settlement.ts';
import { type PaidSale, SettlementRefused, settlementHeader } from './sale.ts';

/**
 * Brings a claimed payment to its end: the work that can fail, the settlement, and the change it is for.
 *
 * @param presented the authorization; undefined for a transfer that was made already
 * @param settlement what is settled already, by an earlier try or by somebody else
 */
export async function settleAndRun(
  sale: PaidSale,
  held: HeldPayment,
  presented: Presented | undefined,
  settlement: Settlement | undefined,
): Promise<unknown> {
  const { services } = sale.ctx;
  const stopRenewing = renewLease(services, held);
  try {
    const prepared = await prepare(sale, held, settlement);
    const settled = settlement ?? (await settle(sale, held, presented!));
    const output = await finish(sale, held, settled, prepared);
    tell(sale, held, settled);
    deliverBy(sale, held, stopRenewing);
    return output;
  } catch (error) {
    stopRenewing();
    throw error;
  }
}

/** Answers from storage what was paid and never arrived. @param held undefined: it was delivered, and is given again */
export function replay(
  sale: PaidSale,
  held: HeldPayment | undefined,
  settlement: Settlement,
  output: unknown,
  version = held?.row.version ?? 2,
): unknown {
  tellSettlement(sale, version, settlement);
  if (held !== undefined) {
    if (sale.facet.family === 'platform') tell(sale, held, settlement);
    deliverBy(sale, held, renewLease(sale.ctx.services, held));
  }
  return output;
}

/** The work that can fail comes before anything is paid: the operation's own, else the change itself, taken back. */
async function prepare(sale: PaidSale, held: HeldPayment, settlement: Settlement | undefined): Promise<unknown> {
  const { op, ctx, scope, input } = sale;
  const { db, log } = ctx.services;
  try {
    const prepared = await op.prepare?.({ ...ctx, ...scope }, input);
    if (op.prepare === undefined && settlement === undefined) await dryRun(sale, held);
    // Whoever has hung up is not made to pay for what nobody would get.
    if (settlement === undefined && ctx.signal.aborted) throw new ServiceError('REQUEST_TIMEOUT');
    return prepared;
  } catch (error) {
    // Before it is handed over a payment is given back; what may have been paid stays to be claimed.
    const isUnused = held.row.state === 'verified';
    const giveBack = settlement === undefined ? releasePayment : held.row.version === 0 ? dropTransfer : leavePayment;
    await (isUnused ? giveBack : leavePayment)(db, held, safeMessage(error)).catch((failure) =>
      log.warn({ err: failure, payment: held.row.id }, 'A payment was left to its lease.'),
    );
    throw error;
  }
}

/** Ends a transaction that was only a trial. */
class DryRunRolledBack extends Error {
  override readonly name = 'DryRunRolledBack';
}

async function dryRun(sale: PaidSale, held: HeldPayment): Promise<void> {
  const { op, ctx, scope, input, price, terms } = sale;
  const settlement: Settlement = {
    network: terms.network,
    chainId: networks[terms.network].chainId,
    transaction: `0x${'0'.repeat(64)}`,
    logIndex: null,
    payer: held.row.payer as Settlement['payer'],
    amount: terms.amount,
    blockTime: ctx.services.now(),
  };
  try {
    await unitOfWork(ctx, async (work) => {
      const payment = { id: held.row.id, price, settlement, trial: true };
      await op.handler({ ...scope, ...work, payment }, input, undefined);
      throw new DryRunRolledBack();
    });
  } catch (error) {
    if (!(error instanceof DryRunRolledBack)) throw error;
  }
}

async function settle(sale: PaidSale, held: HeldPayment, presented: Presented): Promise<Settlement> {
  const { ctx, terms } = sale;
  const { paymentProcessor, db } = ctx.services;
  const { row } = held;
  const noted = markSettling(db, held);
  try {
    const settlement = await paymentProcessor.settle(presented, terms, {
      noted,
      broadcast: (transaction) => noteTransaction(db, held, transaction),
      ...(row.txHash === null ? {} : { previous: row.txHash as Hex }),
    });
    await noted;
    return settlement;
  } catch (error) {
    await noted;
    if (error instanceof PaymentRefused) {
      await failPayment(db, held, error.reason);
      throw new SettlementRefused(error.reason, error.transaction);
    }
    if (error instanceof PaymentsUnavailable)
      ctx.services.log.warn({ payment: row.id, reason: error.message }, 'A payment could not be handed over.');
    // Nothing was handed over by this try, and nothing before it: the same payment is good for anything again.
    const isUnsent = error instanceof PaymentsUnavailable && row.state === 'verified';
    const why = error instanceof PaymentPending ? 'settlement_pending' : safeMessage(error);
    await (isUnsent ? takeBackPayment : leavePayment)(db, held, why);
    throw error;
  }
}

/** The change and the payment's row, in one transaction. What refuses it now is paid for and stays to be claimed. */
async function finish(sale: PaidSale, held: HeldPayment, settlement: Settlement, prepared: unknown): Promise<unknown> {
  const { op, ctx, scope, input, price, claim } = sale;
  const { services } = ctx;
  const payment: PaidFor = { id: held.row.id, price, settlement, trial: false };
  try {
    return await unitOfWork(ctx, async (work) => {
      await lockTransfer(work.client, settlement.network, settlement.transaction);
      const output = await op.handler({ ...scope, ...work, payment }, input, prepared);
      const orgId = tellOrg(sale, work, payment, output);
      await settlePayment(work.client, services, held, { settlement, outcome: { output }, orgId });
      const entry = op.audit(output, input, scope);
      if (entry !== undefined) work.last(auditRow(ctx, sale.caller, scope, entry));
      if (claim !== undefined) work.last(outcomeRow(ctx, claim, { output }));
      return output;
    });
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (isTransferTwice(error) || error instanceof LicensedTransferError) {
      await failPayment(services.db, held, alreadyUsed);
      throw new PaymentRefused(alreadyUsed);
    }
    services.log.warn({ err: error, payment: held.row.id }, 'What was paid for could not be made yet.');
    await recordSettlement(services, held, { settlement, error: safeMessage(error) }).catch((failure: unknown) =>
      services.log.warn({ err: failure, payment: held.row.id }, 'A settlement was left to be reconciled.'),
    );
    tellSettlement(sale, held.row.version, settlement);
    throw new ServiceError('PAYMENT_RECOVERY_PENDING', {
      retryAfter: 5,
      details: { payment_id: held.row.id, ...(error instanceof ServiceError ? { reason: error.code } : {}) },
      extras: { funds_moved: true, payment_id: held.row.id },
      cause: error,
    });
  }
}

/** One transfer pays once. */
const isTransferTwice = (error: unknown) =>
  isUniqueViolation(error) && (error as { readonly constraint?: string }).constraint === 'payments_transfer_uq';

/** Events of an organization tell of what it bought. @returns the organization */
function tellOrg({ facet, scope }: PaidSale, work: Work, payment: PaidFor, output: unknown): string | undefined {
  const received = facet.family === 'platform' ? facet.received?.(output) : undefined;
  if (received === undefined) return orgOf(scope)?.id;
  const { orgId, kind } = received;
  work.append(
    appendEvent({
      orgId,
      projectId: null,
      type: paymentEvents.platform_payment_received,
      payload: { kind, amount_usd_micros: Number(payment.price.amount), rail: 'x402', receipt_id: payment.id },
      onceKey: `payment:${payment.id}`,
    }),
  );
  return orgId;
}

/** Headers of a paid answer. Contract 00, section 1.11; contract 04, section 1.3. */
function tell(sale: PaidSale, { row }: HeldPayment, settlement: Settlement): void {
  tellSettlement(sale, row.version, settlement);
  if (sale.facet.family === 'gateway') return;
  const headers = {
    'x-svc-payment-id': row.id,
    'x-svc-payment-deduplicated': 'false',
    'x-svc-payment-funds-moved': 'true',
    'x-svc-payment-delivery': 'first',
    'x-svc-payment-settled-at': settlement.blockTime.toISOString(),
  };
  for (const [name, value] of Object.entries(headers)) sale.ctx.setHeader?.(name, value);
}

/** In the version that was paid with; a bare transaction hash has none, so both are told. */
function tellSettlement({ ctx }: PaidSale, version: number, settlement: Settlement): void {
  const versions = version === 0 ? ([1, 2] as const) : [version === 1 ? (1 as const) : (2 as const)];
  for (const one of versions) ctx.setHeader?.(settlementHeader(one), encodeHeader(paidOutcome(one, settlement)));
}

/** Ends the payment once its answer was written out; what could not be written is there to be claimed. */
function deliverBy({ ctx }: PaidSale, held: HeldPayment, stopRenewing: () => void): void {
  const { db, log } = ctx.services;
  const act = (written: boolean) => {
    stopRenewing();
    const noted = written ? markDelivered(db, held) : leavePayment(db, held, 'not written out');
    noted.catch((error: unknown) => log.warn({ err: error, payment: held.row.id }, 'A delivery could not be noted.'));
  };
  if (ctx.paymentContext === undefined) act(true);
  else ctx.paymentContext.sent(act);
}
