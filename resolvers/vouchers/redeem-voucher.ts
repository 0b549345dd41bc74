import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { vouchers } from '../../db/schema/vouchers.ts';
import { allOf, computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { type Caller, callerKey, isPrincipal } from '../../kernel/access/caller.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockBalance, post } from '../ledger/shared/ledger.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { onNamedOrOwnOrg } from '../orgs/shared/on-named-or-own-org.ts';
import { findOrCreateOwnOrg } from '../orgs/shared/own-org.ts';
import { voucherCodeHash } from './code.ts';
import { promotionalCeiling } from './issuer-input.ts';
import { voucherActions } from './shared/actions.ts';

export interface RedeemedVoucher {
  readonly voucherId: string;
  readonly orgId: string;
  readonly amount: bigint;
  /** What the organization can spend now. */
  readonly available: bigint;
  readonly redeemedAt: Date;
  readonly already: boolean;
}

/** What one client may try, from whatever network. */
const redemptionRate = { perSecond: 0.5, burst: 20 };

const redeem = voucherActions['org:voucher:redeem'];

/** `POST /vouchers/v1/redemptions`. Never gated: it is one way back for an organization. Contract 04, section 1.7. */
export const redeemVoucher = mutation({
  name: 'vouchers.redeem',
  tool: 'redeem_voucher',
  command: 'redeem',
  summary: 'Add the worth of a voucher to the prepaid balance of an organization, once.',
  access: onNamedOrOwnOrg(redeem),
  budget: () => budgets.redemptions,
  input: z.object({
    code: z
      .string()
      .min(1)
      .max(200)
      .meta({ secret: true, examples: ['7KQ2-M9XA-4TZB-WE3C'] })
      .describe('The code; letter case and hyphens make no difference.'),
    org_id: orgId.optional().describe('Organization to redeem it for; the wallet’s own when absent.'),
  }),
  async handler(work, { code }): Promise<RedeemedVoucher> {
    const caller = await work.caller();
    const { rateLimiter } = work.services;
    assertWithinRate(rateLimiter.take(`redemptions:${callerKey(caller, '')}`, redemptionRate));
    const org = await orgFor(work, caller);
    const codeHash = voucherCodeHash(code);
    const [voucher] = codeHash === undefined ? [] : await work.rows(lockStatement.with({ codeHash }));
    if (voucher === undefined) throw new ServiceError('VOUCHER_NOT_FOUND');
    const { id: voucherId, amount, redeemedBy } = voucher;
    const balance = await lockBalance(work, org.id);
    if (redeemedBy === org.id) {
      const { redeemedAt } = voucher;
      const { available } = balance;
      return { voucherId, orgId: org.id, amount, available, redeemedAt: redeemedAt!, already: true };
    }
    if (redeemedBy !== null) throw new ServiceError('VOUCHER_ALREADY_REDEEMED');
    if (voucher.isOver) {
      throw new ServiceError('VOUCHER_EXPIRED', { details: { expires_at: voucher.expiresAt.toISOString() } });
    }
    const [had] = await work.rows(hadStatement.with({ orgId: org.id }));
    if (had!.sum + amount > promotionalCeiling) {
      const details = { amount_usd_micros: Number(amount), used: Number(had!.sum), limit: Number(promotionalCeiling) };
      throw new ServiceError('PROMO_LIMIT_REACHED', { details });
    }
    const [redeemed] = await work.rows(redeemStatement.with({ id: voucherId, orgId: org.id }));
    const { entry } = await post(work, {
      orgId: org.id,
      direction: 'credit',
      kind: 'voucher',
      amount,
      promotional: amount,
      reference: { type: 'voucher', id: voucherId },
    });
    const { redeemedAt } = redeemed!;
    return {
      voucherId,
      orgId: org.id,
      amount,
      available: entry.availableAfter,
      redeemedAt: redeemedAt!,
      already: false,
    };
  },
  audit: ({ voucherId, orgId, amount, already }) =>
    already
      ? undefined
      : {
          action: 'voucher.redeemed',
          object: { kind: 'voucher', id: voucherId },
          orgId,
          details: { amount_usd_micros: Number(amount) },
        },
  wire: z.object({
    voucher_id: z.uuid(),
    amount_usd_micros: z.int(),
    balance_usd_micros: z.int(),
    organization_id: z.uuid(),
    redeemed_at: z.iso.datetime(),
    already_redeemed: z.boolean(),
    promo_lifetime_ceiling_usd_micros: z.literal(Number(promotionalCeiling)),
    next_actions: z.array(
      z.object({ type: z.literal('set_tier'), method: z.string(), path: z.string(), cli: z.string(), why: z.string() }),
    ),
  }),
  toWire: ({ voucherId, orgId, amount, available, redeemedAt, already }) => ({
    voucher_id: voucherId,
    amount_usd_micros: Number(amount),
    balance_usd_micros: Number(available),
    organization_id: orgId,
    redeemed_at: redeemedAt.toISOString(),
    already_redeemed: already,
    promo_lifetime_ceiling_usd_micros: Number(promotionalCeiling) as 1_000_000,
    next_actions: [
      {
        type: 'set_tier' as const,
        method: 'POST',
        path: '/tiers/v1/hobby',
        cli: 'svc tier set hobby',
        why: 'A tier is paid from the balance as far as that goes.',
      },
    ],
  }),
});

/** The organization under its lock; the wallet's own is made when it is first needed. */
async function orgFor(work: Work & { readonly org?: { readonly id: string } | undefined }, caller: Caller) {
  const { id } =
    work.org ?? (await findOrCreateOwnOrg(work, isPrincipal(caller) ? caller.principal.id : '', redeem)).org;
  const org = await lockOrgFor(work, id, redeem);
  if (org.lifecycleState === 'purged') refuseWhileClosed(org);
  return org;
}

const lockStatement = statement(
  'vouchers.lock',
  {
    params: pick(vouchers, 'codeHash'),
    row: { ...allOf(vouchers), isOver: computed<boolean>('boolean', sql`${vouchers.expiresAt} <= now()`) },
  },
  ({ codeHash }, row) => sql`select ${row} from ${vouchers} where ${vouchers.codeHash} = ${codeHash} for no key update`,
);

const hadStatement = statement(
  'vouchers.had',
  {
    params: { orgId: typed<string>('uuid') },
    row: { sum: computed<bigint>('bigint', sql`coalesce(sum(${vouchers.amount}), 0)::bigint`) },
  },
  ({ orgId: org }, row) => sql`select ${row} from ${vouchers} where ${vouchers.redeemedBy} = ${org}`,
);

const redeemStatement = statement(
  'vouchers.redeem',
  { params: { id: vouchers.id, orgId: typed<string>('uuid') }, row: pick(vouchers, 'redeemedAt') },
  ({ id, orgId: org }, row) => sql`update ${vouchers} ${setOf(vouchers, { redeemedBy: org, redeemedAt: sql`now()` })}
    where ${vouchers.id} = ${id} returning ${row}`,
);
