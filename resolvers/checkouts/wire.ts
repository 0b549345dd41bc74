import { z } from 'zod';
import { checkoutProducts, checkoutStates } from '../../db/schema/checkouts.ts';
import type { Services } from '../../kernel/run/context.ts';
import { tierWire } from '../orgs/shared/wire.ts';
import type { Checkout } from './checkout-rows.ts';

/** Contract 04, section 1.4. What only invoices have is null for cards, and the other way round. */
export const CheckoutWire = z
  .object({
    org_id: z.uuid(),
    product: z.enum(checkoutProducts),
    rail: z.enum(['card', 'lightning', 'balance']),
    topup_id: z.uuid(),
    status: z.enum(checkoutStates),
    amount_usd_micros: z.int().positive(),
    tier: tierWire.nullable(),
    outcome: z.enum(['bought', 'kept']).nullable(),
    failure: z.string().nullable(),
    automatic: z.boolean(),
    checkout_url: z.string().nullable(),
    bolt11: z.string().nullable(),
    payment_hash: z.string().nullable(),
    amount_sats: z.int().nullable(),
    usd_value_is_quote: z.boolean(),
    quoted_rate: z
      .object({
        usd_per_btc: z.string(),
        source: z.string(),
        observed_at: z.iso.datetime(),
        amount_sats: z.int(),
      })
      .nullable(),
    invoice_expires_at: z.iso.datetime().nullable(),
    paid_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    credited_ledger_id: z.string().nullable(),
    taken_back_usd_micros: z.int(),
    next_actions: z.array(
      z.object({ type: z.literal('poll'), method: z.literal('GET'), path: z.string(), why: z.string() }),
    ),
  })
  .meta({ id: 'Checkout' });

/** Whether money may still come. */
export const isOpen = ({ state }: Pick<Checkout, 'state'>): boolean => state === 'creating' || state === 'pending';

export const checkoutToWire = (row: Checkout) => ({
  org_id: row.orgId,
  product: row.product,
  rail: row.rail,
  topup_id: row.id,
  status: row.state,
  amount_usd_micros: Number(row.amount),
  tier: row.tier,
  outcome: row.outcome,
  failure: row.failure,
  automatic: row.automatic,
  checkout_url: row.checkoutUrl,
  bolt11: row.bolt11,
  payment_hash: row.paymentHash,
  amount_sats: row.amountSats === null ? null : Number(row.amountSats),
  usd_value_is_quote: row.rail === 'lightning',
  quoted_rate: row.quotedRate,
  invoice_expires_at: row.invoiceExpiresAt?.toISOString() ?? null,
  paid_at: row.paidAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  credited_ledger_id: row.creditedEntryId,
  taken_back_usd_micros: Number(row.takenBack),
  next_actions: isOpen(row)
    ? [
        {
          type: 'poll' as const,
          method: 'GET' as const,
          path: `/orgs/v1/${row.orgId}/checkouts/${row.id}`,
          why: 'See whether it is paid.',
        },
      ]
    : [],
});

/** How people see what a checkout is for. */
export function describeCheckout({ product, tier, amount }: Pick<Checkout, 'product' | 'tier' | 'amount'>): string {
  if (product === 'tier') return `The ${tier} tier`;
  if (product === 'email_pack') return '10,000 mail credits';
  return `Prepaid balance of $${(Number(amount) / 1e6).toFixed(2)}`;
}

/** Where a card provider leads back to, unless it is told. */
export const consoleOf = ({ settings }: Pick<Services, 'settings'>, baseUrl: string, orgId: string): string =>
  `${settings.publicBaseUrl ?? baseUrl}/console/orgs/${orgId}?tab=usage`;
