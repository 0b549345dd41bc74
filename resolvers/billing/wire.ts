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
  /** What was taken back and is spent already. */
  readonly owed: bigint;
  readonly emailCredits: bigint;
  readonly rechargeEnabled: boolean;
  readonly rechargeThreshold: bigint | null;
  /** The card that is charged for packs, as people know it. */
  readonly rechargeCard: string | null;
  /** Why the platform turned auto-recharge off. */
  readonly rechargeStopped: string | null;
}

/** Contract 01, section 6.9; contract 04, section 1.4. */
export const BillingWire = z
  .object({
    org_id: z.uuid(),
    available_usd_micros: z.int(),
    held_usd_micros: z.int(),
    owed_usd_micros: z.int(),
    email_credits_remaining: z.int(),
    tier: tierWire,
    lease_expires_at: z.iso.datetime().nullable(),
    auto_recharge_enabled: z.boolean(),
    auto_recharge_threshold: z.int().nullable(),
    auto_recharge_card: z.string().nullable(),
    auto_recharge_stopped: z.string().nullable(),
  })
  .meta({ id: 'BillingAccount' });

export const billingToWire = (billing: Billing) => ({
  org_id: billing.orgId,
  available_usd_micros: Number(billing.available),
  held_usd_micros: Number(billing.held),
  owed_usd_micros: Number(billing.owed),
  email_credits_remaining: Number(billing.emailCredits),
  tier: billing.tier,
  lease_expires_at: leaseEndToWire(billing),
  auto_recharge_enabled: billing.rechargeEnabled,
  auto_recharge_threshold: billing.rechargeThreshold === null ? null : Number(billing.rechargeThreshold),
  auto_recharge_card: billing.rechargeCard,
  auto_recharge_stopped: billing.rechargeStopped,
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
    request_id: z.string().nullable(),
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
  request_id: entry.requestId,
  created_at: entry.createdAt.toISOString(),
});
