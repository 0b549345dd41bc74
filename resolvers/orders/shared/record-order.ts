import { type OrderTier, orders } from '../../../db/schema/products.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { PaidFor } from '../../../kernel/run/price.ts';
import { usdOf } from '../../payments/shared/price-table.ts';

/** What was sold, as it is told. */
export interface Sold {
  /** `ord_…`. */
  readonly id: string;
  readonly tier: OrderTier;
  readonly domain: string;
  /** For example `1.00`. */
  readonly priceUsd: string;
  readonly network: PaidFor['settlement']['network'];
  readonly transaction: string;
  /** In the mixed case of EIP-55. */
  readonly payer: string;
  /** Block time of the payment. */
  readonly paidAt: Date;
  /** When the site was read for it; null where it could not be. */
  readonly auditedAt: Date | null;
}

/** A sale as it becomes known with its payment: nothing is written yet. */
export async function soldOf(
  work: Pick<Work, 'services' | 'payment'>,
  { tier, domain, auditedAt }: Pick<Sold, 'tier' | 'domain' | 'auditedAt'>,
): Promise<Sold> {
  // The surfaces run nothing that has a price without its payment.
  const { price, settlement } = work.payment!;
  const { checksumAddress } = await import('../../../engines/sign-in/wallet-signer.ts');
  return {
    id: work.services.newId('ord'),
    tier,
    domain,
    priceUsd: usdOf(price.amount),
    network: settlement.network,
    transaction: settlement.transaction,
    payer: checksumAddress(settlement.payer),
    paidAt: settlement.blockTime,
    auditedAt,
  };
}

/**
 * Writes an order, inside the transaction that its payment is settled in: one for each payment.
 *
 * @param bundleSha256 of the archive that is delivered; null where there is none
 */
export async function recordOrder(
  work: Pick<Work, 'rows' | 'payment'>,
  { id, tier, domain, priceUsd, network, transaction, payer }: Sold,
  bundleSha256: string | null = null,
): Promise<void> {
  const order = { id, tier, domain, priceUsd, network, payer, bundleSha256 };
  const paid = { paymentId: work.payment!.id, txHash: transaction.toLowerCase() };
  await work.rows(insertStatement.with({ ...order, ...paid }));
}

/** The `order` of paid answers: all times are here, so that the rest is what the site says. Contract 00, section 3.11. */
export const orderToWire = ({ id, transaction, network, payer, domain, priceUsd, paidAt, auditedAt }: Sold) => ({
  id,
  tx: transaction,
  network,
  payer,
  domain,
  price_usd: priceUsd,
  paid_at: paidAt.toISOString(),
  audited_at: auditedAt?.toISOString() ?? null,
});

const insertStatement = statement(
  'orders.insert',
  {
    params: pick(orders, 'id', 'tier', 'domain', 'priceUsd', 'paymentId', 'network', 'txHash', 'payer', 'bundleSha256'),
  },
  (given) => insertInto(orders, given),
);
