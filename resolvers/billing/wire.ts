import { z } from 'zod';
import type { LedgerEntry, Org } from '../../db/schema/orgs.ts';
import { leaseEndToWire, tierWire } from '../orgs/shared/wire.ts';

/** An organization's money at one moment. */
export interface Billing {
  readonly orgId: string;
  readonly tier: Org['tier'];
  readonly leaseExpiresAt: Date;
  readonly leasePerpetual: boolean;
  readonly available: bigint;
  readonly held: bigint;
}

/** Contract 01, section 6.9. Mail credits and their recharge are bought nowhere yet. */
export const BillingWire = z
  .object({
    org_id: z.uuid(),
    available_usd_micros: z.int(),
    held_usd_micros: z.int(),
    email_credits_remaining: z.literal(0),
    tier: tierWire,
    lease_expires_at: z.iso.datetime().nullable(),
    auto_recharge_enabled: z.literal(false),
    auto_recharge_threshold: z.null(),
  })
  .meta({ id: 'BillingAccount' });

export const billingToWire = (billing: Billing) => ({
  org_id: billing.orgId,
  available_usd_micros: Number(billing.available),
  held_usd_micros: Number(billing.held),
  email_credits_remaining: 0 as const,
  tier: billing.tier,
  lease_expires_at: leaseEndToWire(billing),
  auto_recharge_enabled: false as const,
  auto_recharge_threshold: null,
});

/** Contract 04, section 1.4. */
export const LedgerEntryWire = z
  .object({
    id: z.string(),
    direction: z.enum(['credit', 'debit']),
    kind: z.string(),
    amount_usd_micros: z.int().positive(),
    balance_after_available: z.int(),
    balance_after_held: z.int(),
    reference_type: z.string().nullable(),
    reference_id: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'LedgerEntry' });

export const entryToWire = (entry: LedgerEntry) => ({
  id: entry.id,
  direction: entry.direction,
  kind: entry.kind,
  amount_usd_micros: Number(entry.amount),
  balance_after_available: Number(entry.availableAfter),
  balance_after_held: Number(entry.heldAfter),
  reference_type: entry.referenceType,
  reference_id: entry.referenceId,
  metadata: entry.metadata,
  created_at: entry.createdAt.toISOString(),
});
