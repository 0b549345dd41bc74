import { safeMessage } from '../../core/safe-message.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { isUniqueViolation, type Statement } from '../../db/pool.ts';
import { type Payment, payments } from '../../db/schema/payments.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import type { Terms } from '../../engines/x402/terms.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { failPayment, type HeldPayment, leavePayment, newLease, releasePayment } from './payment-rows.ts';
import { recordSettlement } from './payment-settlement.ts';
import { auditPrices } from './shared/price-table.ts';

/** The job that asks the chain what became of payments whose process has ended, or that were given up. */
export const reconcilePaymentsTask = 'reconcile-payments';

/** Payments looked at in one run. */
const batch = 25;

/**
 * Brings payments to rest that nobody works on. What the chain says was paid is settled, and waits for its payer to
 * present the same again; what can no longer be paid has failed; what was never handed over is given back.
 */
export const reconcilePayments: Task = async ({ ctx, log }) => {
  if (ctx.services.paymentProcessor.mode === 'unavailable') return;
  const leaseToken = newLease();
  const rows = await ctx.services.db.rows<Payment>(takeOpenStatement, [leaseToken, batch]);
  for (const row of rows) {
    ctx.signal.throwIfAborted();
    const held = { row, leaseToken };
    try {
      await reconcile(ctx, held);
    } catch (error) {
      log.warn({ err: error, payment: row.id }, 'A payment could not be reconciled yet.');
      // What was taken over meanwhile is in good hands.
      await leavePayment(ctx.services.db, held, safeMessage(error)).catch(() => undefined);
    }
  }
};

async function reconcile({ services }: Context, held: HeldPayment): Promise<void> {
  const { row } = held;
  const { paymentProcessor, db } = services;
  const presented = presentedOf(row);
  const terms = termsOfRow(row);
  const options = { since: row.createdAt, ...(row.txHash === null ? {} : { transaction: row.txHash as Hex }) };
  const settlement = await paymentProcessor.find(presented, terms, options);
  if (settlement !== undefined) {
    return recordSettlement(services, held, { settlement }).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      // Something else was given for the same transfer already.
      return (row.state === 'released' ? leavePayment : failPayment)(db, held, 'tx_already_used');
    });
  }
  if (row.state === 'settling' && !(await paymentProcessor.isOpen(presented, terms)))
    return failPayment(db, held, 'expired');
  if (row.state === 'verified') return releasePayment(db, held, 'abandoned');
  return leavePayment(db, held, row.lastError ?? '');
}

/** What was presented, as far as the chain has to know it: nothing is sent from here, so nothing has to be signed. */
const presentedOf = (row: Payment): Presented => ({
  version: 2,
  scheme: 'exact',
  network: row.network,
  accepted: undefined,
  payer: row.payer as Presented['payer'],
  payTo: row.payTo as Presented['payTo'],
  value: BigInt(row.amount),
  validAfter: 0n,
  validBefore: BigInt(row.validBefore!.getTime() / 1000),
  nonce: row.nonce as Hex,
  signature: '0x',
  resourceUrl: undefined,
  extensions: undefined,
  raw: {},
  digest: row.digest!,
});

/** The terms that a payment was claimed under, as far as the chain has to know them. */
const termsOfRow = (row: Payment): Terms => ({
  network: row.network as Terms['network'],
  payTo: row.payTo as Terms['payTo'],
  amount: BigInt(row.amount),
  resource: '',
  description: '',
  mimeType: '',
  maxTimeoutSeconds: 0,
  confirmed: row.sku === auditPrices.buyout.sku && auditPrices.buyout.confirmed,
});

/** How long after its end an authorization may still show up on chain: blocks are late, and endpoints lag. */
const graceMinutes = 10;

// What was handed over is looked at until it is known; what was given back or refused only for as long as somebody else
// may still send it, and for a day at most, since some sign payments that never expire. A transfer that was presented by
// its hash needs nobody but its payer. What is handed over comes first, then whatever has waited longest: it costs
// nothing to have payments refused, so many of them must keep no other waiting.
const takeOpenStatement: Statement = {
  name: 'payments.take-open',
  text: `update payments p set lease_token = $1, lease_until = now() + interval '2 minutes', reconciled_at = now()
    where p.id in (
      select id from payments
      where lease_until < now() and version <> 0 and (
        state in ('verified', 'settling') and coalesce(reconciled_at < now() - interval '20 seconds', true)
        or state in ('released', 'failed')
          and coalesce(reconciled_at, created_at) < now() - interval '2 minutes'
          and coalesce(reconciled_at, created_at)
            < least(valid_before, created_at + interval '24 hours') + interval '${graceMinutes} minutes')
      order by (state in ('verified', 'settling')) desc, coalesce(reconciled_at, created_at)
      limit $2 for update skip locked
    ) returning ${columnsOf(payments, 'p')}`,
};
