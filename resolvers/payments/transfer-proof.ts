import { inTransaction } from '../../db/pool.ts';
import { rowsOn } from '../../db/transaction.ts';
import { type Hex, networks } from '../../engines/x402/networks.ts';
import type { Incoming, Settlement } from '../../engines/x402/payment-processor.ts';
import type { TransactionHash } from '../../engines/x402/presented.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import { budgets, chargeBudget } from '../../kernel/limits/budgets.ts';
import { launchedAt } from './launch.ts';
import { claimedSteps, type State, type Steps } from './payment-machine.ts';
import { keptHours, openOutcome } from './payment-outcome.ts';
import { tokenOf } from './payment-proof.ts';
import { paymentRequired } from './payment-required.ts';
import { findByTransaction, type HeldPayment, insertPayment, newLease, takePayment } from './payment-rows.ts';
import { transactionUsed } from './payment-transitions.ts';
import { type PaidSale, purposeOf } from './sale.ts';
import { isLicensed, lockTransaction } from './shared/chain-payments.ts';
import { planFor } from './shared/plans.ts';

/** So much was paid that it buys a licence: no other client may spend it on less. */
const paysForLicence = 'use_verify_tx';
const dayMs = keptHours * 3_600_000;
const zero: Hex = `0x${'0'.repeat(40)}`;

type Found = Extract<Incoming, { readonly status: 'success' }>;

/** Looks the transaction up on its chain, and claims what it has transferred. */
const presented: Steps['presented'] = {
  async run({ sale }) {
    const { ctx, terms } = sale;
    const { transaction } = sale.proof as TransactionHash;
    // To look a transaction up costs the operator the same on every path.
    chargeBudget(ctx, budgets.verifications);
    const incoming = await ctx.services.paymentProcessor.incoming(terms.network, transaction, terms.payTo);
    if (incoming.status !== 'success')
      throw new PaymentRefused(incoming.status === 'absent' ? 'tx_not_found' : 'tx_reverted');
    const transfers = await countedTransfers(sale, incoming);
    const settlement: Settlement = {
      network: terms.network,
      chainId: networks[terms.network].chainId,
      transaction,
      logIndex: transfers[0]!.logIndex,
      payer: transfers[0]!.from,
      amount: transfers.reduce((sum, { value }) => sum + value, 0n),
      blockTime: incoming.blockTime,
    };
    return claimTransfers(sale, settlement, transfers);
  },
};

/** A transaction that was presented before is good for the same thing, as long as the answer has not arrived. */
const known: Steps['known'] = {
  async run({ sale }, { row, settlement }) {
    if (row.version !== 0 || row.state === 'delivered' || row.requestDigest !== sale.requestDigest)
      throw new PaymentRefused(transactionUsed);
    const held = await takePayment(sale.ctx.services.db.rows, row, { ...purposeOf(sale), identifier: null });
    if (held === undefined) throw new PaymentRefused(transactionUsed);
    return { at: 'taken', held, settlement };
  },
};

const taken: Steps['taken'] = {
  async run({ sale }, { held, settlement }) {
    const outcome = openOutcome(sale.ctx.services, held.row);
    return outcome === undefined
      ? { at: 'claimed', held, settlement }
      : { at: 'stored', held, settlement: settlement!, output: outcome.output };
  },
};

/**
 * The steps of a transfer that was made already, and is presented by its hash. The hash is public: the first client that
 * presents it gets what it pays for, once, and within a day. So a transfer counts only where no other client has a claim
 * to it: neither one that a signed payment made, which is its signer's, nor one that pays for a licence. Contract 00,
 * section 1.14.
 */
export const transferSteps: Steps = { presented, known, taken, ...claimedSteps };

/** The transfers that count. @throws PaymentRefused, or a challenge that says how long to wait */
async function countedTransfers({ ctx, facet, price, terms }: PaidSale, { depth, blockTime, transfers }: Found) {
  const { services } = ctx;
  if (depth < services.settings.proofConfirmations)
    throw paymentRequired(facet, price, terms, { reason: 'awaiting_confirmations', retryAfter: 2 });
  const paid = transfers.filter(({ from, value }) => value > 0n && from !== zero && from !== terms.payTo.toLowerCase());
  // The sale that a signed payment settles may not be written down yet. It is good as itself, and not by its hash.
  const counted = paid.filter(({ isAuthorized }) => !isAuthorized);
  if (counted.length === 0) throw new PaymentRefused(paid.length === 0 ? 'no_payment_found' : transactionUsed);
  const amount = counted.reduce((sum, { value }) => sum + value, 0n);
  if (amount < terms.amount) throw new PaymentRefused('amount_too_low');
  if (planFor({ amount, decimals: networks[terms.network].usdc.decimals }) !== undefined)
    throw new PaymentRefused(paysForLicence);
  const launched = await launchedAt(services.db);
  if (services.now().getTime() - blockTime.getTime() > dayMs || blockTime < launched)
    throw new PaymentRefused('tx_too_old');
  return counted;
}

/** Claims every transfer of a transaction, or none. @returns `known` with the row of a request before this one */
function claimTransfers(
  sale: PaidSale,
  settlement: Settlement,
  transfers: Found['transfers'],
): Promise<State<'known' | 'claimed'>> {
  const { ctx, terms } = sale;
  const { transaction } = settlement;
  const leaseToken = newLease();
  const token = tokenOf(terms);
  return inTransaction(ctx.services.db.pool, async (client) => {
    const rows = rowsOn(client);
    await lockTransaction(rows, terms.network, transaction);
    if (await isLicensed(rows, terms.network, transaction)) throw new PaymentRefused(transactionUsed);
    const row = await findByTransaction(rows, token.chainId, transaction);
    if (row !== undefined) return { at: 'known', row, settlement };
    let first: HeldPayment | undefined;
    for (const { logIndex, from, value } of transfers) {
      const payment = {
        id: ctx.services.newId('txp'),
        ...purposeOf(sale),
        network: terms.network,
        ...token,
        payer: from,
        amount: String(value),
        version: 0,
        nonce: null,
        digest: null,
        validBefore: null,
        identifier: null,
        txHash: transaction,
        logIndex,
        partOf: first?.row.id ?? null,
      };
      const held = await insertPayment(rows, payment, leaseToken);
      if (held === undefined) throw new PaymentRefused(transactionUsed);
      first ??= held;
    }
    return { at: 'claimed', held: first!, settlement };
  });
}
