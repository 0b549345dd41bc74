import { safeMessage } from '../../core/safe-message.ts';
import { alias, sql } from '../../db/drizzle.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { type Payment, payments } from '../../db/schema/payments.ts';
import { from, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import type { Presented } from '../../engines/x402/presented.ts';
import type { Terms } from '../../engines/x402/terms.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { type HeldPayment, newLease, paymentRow } from './payment-rows.ts';
import { failPayment, recordSettlement, releaseLease, releasePayment, transactionUsed } from './payment-transitions.ts';
import { auditPrices } from './shared/price-table.ts';

/** The job that asks the chain what became of payments whose process has ended, or that were given up. */
export const reconcilePaymentsTask = 'reconcile-payments';

/** Payments looked at in one run. */
const batch = 25;

/**
 * Ends payments that no process works on. A payment that the chain has is settled, and waits for its payer to present it
 * again. A payment that can no longer be made has failed. A payment that was never handed over is given back.
 */
export const reconcilePayments: Task = async ({ ctx, log }) => {
  if (ctx.services.paymentProcessor.mode === 'unavailable') return;
  const leaseToken = newLease();
  const rows = await ctx.services.db.rows(takeOpenStatement.with({ leaseToken, batch }));
  for (const row of rows) {
    ctx.signal.throwIfAborted();
    const held = { row, leaseToken };
    try {
      await reconcile(ctx, held);
    } catch (error) {
      log.warn({ err: error, payment: row.id }, 'A payment could not be reconciled yet.');
      // Another process may have taken it over meanwhile.
      await releaseLease(ctx.services.db.rows, held, safeMessage(error)).catch(() => undefined);
    }
  }
};

async function reconcile({ services }: Context, held: HeldPayment): Promise<void> {
  const { row } = held;
  const { paymentProcessor } = services;
  const { rows } = services.db;
  const presented = presentedOf(row);
  const terms = termsOfRow(row);
  const options = { since: row.createdAt, ...(row.txHash === null ? {} : { transaction: row.txHash as Hex }) };
  const settlement = await paymentProcessor.find(presented, terms, options);
  if (settlement !== undefined) {
    return recordSettlement(services, held, { settlement }).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      // The same transfer has paid for something else already.
      return (row.state === 'released' ? releaseLease : failPayment)(rows, held, transactionUsed);
    });
  }
  if (row.state === 'settling' && !(await paymentProcessor.isOpen(presented, terms)))
    return failPayment(rows, held, 'expired');
  if (row.state === 'verified') return releasePayment(rows, held, 'abandoned');
  return releaseLease(rows, held, row.lastError ?? '');
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

// A payment that was handed over is looked at until its outcome is known. One that was given back or refused is looked at
// while it can still be sent, a day at most, since some signatures never expire. A transfer that was presented by its hash
// is on the chain already. Payments that were handed over come first, then those that have waited longest: refusals cost
// a payer nothing, so many of them must keep no other payment waiting.
const open = alias(payments, 'open');
const waitedSince = sql`coalesce(${open.reconciledAt}, ${open.createdAt})`;
const isHandedOver = sql`${open.state} in ('verified', 'settling')`;
const takeOpenStatement = statement(
  'payments.take-open',
  { params: { ...pick(payments, 'leaseToken'), batch: typed<number>('bigint') }, row: paymentRow },
  ({ leaseToken, batch: limit }, row) => sql`update ${payments} ${setOf(payments, {
    leaseToken,
    leaseUntil: sql`now() + interval '2 minutes'`,
    reconciledAt: sql`now()`,
  })} where ${payments.id} in (
      select ${open.id} from ${from(open)}
      where ${open.leaseUntil} < now() and ${open.version} <> 0 and (
        ${isHandedOver} and coalesce(${open.reconciledAt} < now() - interval '20 seconds', true)
        or ${open.state} in ('released', 'failed')
          and ${waitedSince} < now() - interval '2 minutes'
          and ${waitedSince} < least(${open.validBefore}, ${open.createdAt} + interval '24 hours')
            + interval '${sql.raw(String(graceMinutes))} minutes')
      order by (${isHandedOver}) desc, ${waitedSince}
      limit ${limit} for update skip locked
    ) returning ${row}`,
);
