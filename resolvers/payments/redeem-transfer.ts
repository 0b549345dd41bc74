import { columnsOf } from '../../db/columns-of.ts';
import { inTransaction, type Statement } from '../../db/pool.ts';
import { type Payment, payments } from '../../db/schema/payments.ts';
import { type Hex, networks } from '../../engines/x402/networks.ts';
import type { Incoming, Settlement } from '../../engines/x402/payment-processor.ts';
import type { TransactionHash } from '../../engines/x402/presented.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import { budgets, chargeBudget } from '../../kernel/limits/budgets.ts';
import { launchedAt } from './launch.ts';
import { tokenOf } from './payment-proof.ts';
import { paymentRequired } from './payment-required.ts';
import { type HeldPayment, insertPayment, newLease, takePayment } from './payment-rows.ts';
import { keptHours, lockTransfer, openOutcome } from './payment-settlement.ts';
import { buyerOf, type PaidSale } from './sale.ts';
import { replay, settleAndRun } from './settle-and-run.ts';
import { licensedStatement } from './shared/chain-payments.ts';
import { planFor } from './shared/plans.ts';

const alreadyUsed = 'tx_already_used';
/** So much was paid that it buys a licence: no stranger may spend it on less. */
const ofLicence = 'use_verify_tx';
const dayMs = keptHours * 3_600_000;
const zero: Hex = `0x${'0'.repeat(40)}`;

type Found = Extract<Incoming, { readonly status: 'success' }>;

/**
 * Sells for a transfer that was made already. Its hash is public: who presents it first gets what it pays for, once, and
 * within a day. So only what nobody else has a claim to counts: neither the transfer of a signed payment, which is its
 * signer's, nor what pays for a licence. Contract 00, section 1.14.
 */
export async function redeemTransfer(sale: PaidSale, { transaction }: TransactionHash): Promise<unknown> {
  const { ctx, terms } = sale;
  const { services } = ctx;
  // Looks at transactions cost the operator the same by whichever door.
  chargeBudget(ctx, budgets.verifications);
  const incoming = await services.paymentProcessor.incoming(terms.network, transaction, terms.payTo);
  if (incoming.status !== 'success')
    throw new PaymentRefused(incoming.status === 'absent' ? 'tx_not_found' : 'tx_reverted');
  const transfers = await judge(sale, incoming);
  const settlement: Settlement = {
    network: terms.network,
    chainId: networks[terms.network].chainId,
    transaction,
    logIndex: transfers[0]!.logIndex,
    payer: transfers[0]!.from,
    amount: transfers.reduce((sum, { value }) => sum + value, 0n),
    blockTime: incoming.blockTime,
  };
  const claimed = await claimTransfers(sale, settlement, transfers);
  return 'row' in claimed ? settleAndRun(sale, claimed, undefined, settlement) : again(sale, claimed, settlement);
}

/** The transfers that count. @throws PaymentRefused, or a challenge that says how long to wait */
async function judge({ ctx, facet, price, terms }: PaidSale, { depth, blockTime, transfers }: Found) {
  const { services } = ctx;
  if (depth < services.settings.proofConfirmations)
    throw paymentRequired(facet, price, terms, { reason: 'awaiting_confirmations', retryAfter: 2 });
  const paid = transfers.filter(({ from, value }) => value > 0n && from !== zero && from !== terms.payTo.toLowerCase());
  // Whose sale a signed payment settles may not be written down yet. It is good as itself, and not by its hash.
  const counted = paid.filter(({ isAuthorized }) => !isAuthorized);
  if (counted.length === 0) throw new PaymentRefused(paid.length === 0 ? 'no_payment_found' : alreadyUsed);
  const amount = counted.reduce((sum, { value }) => sum + value, 0n);
  if (amount < terms.amount) throw new PaymentRefused('amount_too_low');
  if (planFor({ amount, decimals: networks[terms.network].usdc.decimals }) !== undefined)
    throw new PaymentRefused(ofLicence);
  const launched = await launchedAt(services.db);
  if (services.now().getTime() - blockTime.getTime() > dayMs || blockTime < launched)
    throw new PaymentRefused('tx_too_old');
  return counted;
}

/**
 * Claims every transfer of a transaction, or none.
 *
 * @returns what this request may go on with, or the row of whoever had it before
 */
async function claimTransfers(
  sale: PaidSale,
  { transaction }: Settlement,
  transfers: Found['transfers'],
): Promise<HeldPayment | Payment> {
  const { ctx, op, price, terms, requestDigest } = sale;
  const { services } = ctx;
  const leaseToken = newLease();
  const token = tokenOf(terms);
  return inTransaction(services.db.pool, async (client) => {
    await lockTransfer(client, terms.network, transaction);
    const licensed = await client.query({ ...licensedStatement, values: [terms.network, transaction.toLowerCase()] });
    if (licensed.rowCount !== 0) throw new PaymentRefused(alreadyUsed);
    const { rows } = await client.query<Payment>({ ...usedStatement, values: [token.chainId, transaction] });
    if (rows[0] !== undefined) return rows[0];
    let first: HeldPayment | undefined;
    for (const { logIndex, from, value } of transfers) {
      const claimed = await insertPayment(
        client,
        {
          id: services.newId('txp'),
          sku: price.sku,
          operation: op.name,
          requestDigest,
          network: terms.network,
          ...token,
          payer: from,
          payTo: terms.payTo.toLowerCase(),
          amount: String(value),
          version: 0,
          nonce: null,
          digest: null,
          validBefore: null,
          identifier: null,
          principalId: buyerOf(sale),
          txHash: transaction,
          logIndex,
          partOf: first?.row.id,
        },
        leaseToken,
      );
      if (claimed === undefined) throw new PaymentRefused(alreadyUsed);
      first ??= claimed;
    }
    return first!;
  });
}

/** A transaction that was presented before: for the same thing, and without its answer having arrived. */
async function again(sale: PaidSale, row: Payment, settlement: Settlement): Promise<unknown> {
  const { ctx, op, price, terms, requestDigest } = sale;
  if (row.version !== 0 || row.state === 'delivered' || row.requestDigest !== requestDigest)
    throw new PaymentRefused(alreadyUsed);
  const reclaim = {
    sku: price.sku,
    operation: op.name,
    requestDigest,
    payTo: terms.payTo.toLowerCase(),
    identifier: null,
    principalId: buyerOf(sale),
  };
  const held = await takePayment(ctx.services.db, row, reclaim);
  if (held === undefined) throw new PaymentRefused(alreadyUsed);
  const stored = openOutcome(ctx.services, held.row);
  return stored === undefined
    ? settleAndRun(sale, held, undefined, settlement)
    : replay(sale, held, settlement, stored.output);
}

// The row of a claim that failed before it was paid for is no use of it.
const usedStatement: Statement = {
  name: 'payments.of-transaction',
  text: `select ${columnsOf(payments, 'p')} from payments p
    where p.chain_id = $1 and p.tx_hash = $2 and p.part_of is null and p.state <> 'failed'`,
};
