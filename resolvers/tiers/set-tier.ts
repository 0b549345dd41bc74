import { z } from 'zod';
import type { Org, Role, Tier } from '../../db/schema/orgs.ts';
import { isPrincipal } from '../../kernel/access/caller.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { bringIn } from '../ledger/shared/bring-in.ts';
import { availableOf } from '../ledger/shared/ledger.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { onNamedOrOwnOrg } from '../orgs/shared/on-named-or-own-org.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { leaseEndToWire, tierWire } from '../orgs/shared/wire.ts';
import { holdRoomForFree, refuseFullOwners } from './free-orgs.ts';
import { quoteLease } from './quote-lease.ts';
import { tierActions } from './shared/actions.ts';
import { actionOf, buyLease, type TierAction } from './shared/buy-lease.ts';

export interface SetTier {
  readonly org: Org;
  /** The caller's own in it. */
  readonly role: Role | null;
  readonly wallet: string | null;
  readonly action: TierAction;
  readonly previousTier: Tier | null;
  /** What the organization can spend afterwards. */
  readonly available: bigint;
  /** Set: the lease never ends, so there was nothing to do. */
  readonly alreadyActive: boolean;
  /** Set: a payment that was used already is answered with what it bought. */
  readonly repeated?: true;
}

/** What is added to the answer when the lease never ends. Contract 04, section 1.2. */
const nothingToDo = {
  status: 'already_active',
  deduplicated: true,
  lease: 'perpetual',
  lease_days: null,
  active: true,
} as const;

/** `POST /tiers/v1/:tier`. Never gated: it is what brings an organization back. Contract 01, section 5.1. */
export const setTier = mutation({
  name: 'tiers.set',
  tool: 'set_tier',
  command: 'tier set',
  effects: ['destructive', 'openWorld'],
  summary:
    'Put an organization on a tier. With leases on it renews the lease, and is paid from the prepaid balance or by x402.',
  access: onNamedOrOwnOrg(tierActions['org:tier:set']),
  price: {
    family: 'platform',
    quote: quoteLease,
    payerActs: true,
    unidentified: 'TIER_PAYMENT_IDENTITY_REQUIRED',
    reused: { forOther: 'TIER_PAYMENT_INTENT_MISMATCH', byOther: 'TIER_PAYMENT_IDENTITY_REUSED' },
    repeated: (lease: SetTier): SetTier => ({ ...lease, repeated: true }),
    received: ({ org }: SetTier) => ({ orgId: org.id, kind: 'tier' }),
  },
  input: z.object({
    tier: tierWire.describe('The tier; with leases on, the one that it has renews the lease.'),
    org_id: orgId.optional().describe('Organization to set it for; the wallet’s own when absent.'),
  }),
  async handler(work, { tier }): Promise<SetTier> {
    const caller = await work.caller();
    const wallet = isPrincipal(caller) ? await walletOf(work, caller) : null;
    if (work.org !== undefined) return { ...(await changeTier(work, work.org, tier)), wallet };
    // Without a named organization only a wallet gets here.
    const own = await findOrCreateOwnOrg(
      work,
      isPrincipal(caller) ? caller.principal.id : '',
      tierActions['org:tier:set'],
    );
    if (!own.created) return { ...(await changeTier(work, own.org, tier)), wallet };
    // A new organization has its first lease of the lowest tier already.
    const rest = tier === 'prototype' ? undefined : await changeTier(work, own.org, tier);
    return {
      org: own.org,
      role: 'owner',
      available: 0n,
      alreadyActive: false,
      ...rest,
      action: 'subscribe',
      previousTier: null,
      wallet,
    };
  },
  audit: ({ org, action, previousTier, alreadyActive }) =>
    alreadyActive
      ? undefined
      : {
          action: 'tier.changed',
          object: { kind: 'organization', id: org.id },
          orgId: org.id,
          details: { action, tier: org.tier, previous_tier: previousTier },
        },
  wire: z.object({
    wallet: z.string().nullable(),
    org_id: z.uuid(),
    action: z.enum(['subscribe', 'renew', 'upgrade', 'downgrade']),
    tier: tierWire,
    previous_tier: tierWire.nullable(),
    lease_started_at: z.iso.datetime(),
    lease_expires_at: z.iso.datetime().nullable(),
    allowance_remaining_usd_micros: z.int(),
    status: z.literal('already_active').optional(),
    deduplicated: z.literal(true).optional(),
    lease: z.literal('perpetual').optional(),
    lease_days: z.null().optional(),
    active: z.literal(true).optional(),
    payment_replay: z.literal(true).optional(),
    funds_moved: z.literal(false).optional(),
    committed_lease_started_at: z.iso.datetime().optional(),
    committed_lease_expires_at: z.iso.datetime().nullable().optional(),
  }),
  toWire: ({ org, wallet, action, previousTier, available, alreadyActive, repeated }) => ({
    wallet,
    org_id: org.id,
    action,
    tier: org.tier,
    previous_tier: previousTier,
    lease_started_at: org.leaseStartedAt.toISOString(),
    lease_expires_at: leaseEndToWire(org),
    allowance_remaining_usd_micros: Number(available),
    ...(alreadyActive ? nothingToDo : {}),
    ...(repeated === true
      ? {
          payment_replay: true as const,
          funds_moved: false as const,
          committed_lease_started_at: org.leaseStartedAt.toISOString(),
          committed_lease_expires_at: leaseEndToWire(org),
        }
      : {}),
  }),
});

type Changed = Omit<SetTier, 'wallet'>;

/** Puts an organization on a tier under its lock, and takes the money for its lease where leases are on. */
async function changeTier(work: Work, seen: Org, tier: Tier): Promise<Changed> {
  const becomesFree = tier === 'prototype' && seen.tier !== 'prototype';
  // Before the organization's own lock: whoever makes a free organization takes the two in this order, too.
  const held = becomesFree ? await holdRoomForFree(work, seen.id) : undefined;
  const org = await lockOrgFor(work, seen.id, tierActions['org:tier:set']);
  if (org.lifecycleState === 'purged') refuseWhileClosed(org);
  const { leases } = work.services.settings;
  const action = actionOf(org, tier, leases);
  if (action === 'renew' && org.leasePerpetual) {
    const available = await availableOf(work, org.id);
    return { org, role: org.role, action, previousTier: tier, available, alreadyActive: true };
  }
  if (held !== undefined) await refuseFullOwners(work, org.id, held);
  if (work.payment !== undefined) await bringIn(work, org.id, work.payment);
  return {
    org: await buyLease(work, org, { tier, action, leases }),
    role: org.role,
    action,
    previousTier: org.tier,
    available: await availableOf(work, org.id),
    alreadyActive: false,
  };
}
