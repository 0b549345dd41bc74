import { z } from 'zod';
import { alias, sql } from '../../db/drizzle.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { allOf, from, pick, setOf, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import { orgId, walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { lockOrgFor } from './shared/lock-org.ts';
import {
  type PayoutRecovery,
  PayoutRecoveryWire,
  payoutRecoveries,
  payoutRecoveryToWire,
} from './shared/payout-recovery.ts';

export interface PayoutWalletSet {
  readonly org: Org;
  readonly previous: string | null;
  readonly recovery: PayoutRecovery;
}

const nowhere = `0x${'0'.repeat(40)}`;

/** `PATCH /orgs/v1/:org_id/payout-wallet`. Contract 01, section 6.2. */
export const setPayoutWallet = mutation({
  name: 'orgs.setPayoutWallet',
  tool: 'set_org_payout_wallet',
  command: 'org payout-wallet set',
  effects: ['destructive', 'idempotent'],
  summary: 'Name the wallet that an organization’s own earnings go to, or none.',
  path: 'PATCH /orgs/v1/:org_id/payout-wallet',
  access: onOrg(orgActions['org:payout:write'], ({ org }: { org: string }) => org),
  lifecycle: 'gated',
  input: z.object({
    org: orgId,
    wallet_address: walletAddress
      .refine((address) => address !== nowhere, 'must not be the zero address')
      .nullable()
      .describe('Address that earnings go to, in any letter case; null for none.'),
  }),
  async handler(work, { wallet_address }): Promise<PayoutWalletSet> {
    refuseWhileClosed(await lockOrgFor(work, work.org.id, orgActions['org:payout:write']));
    const [row] = await work.rows(setStatement.with({ id: work.org.id, payoutWallet: wallet_address }));
    const { previous, ...org } = row!;
    const [recovery] = await payoutRecoveries(work.rows, [org.id]);
    return { org, previous, recovery: recovery! };
  },
  audit: ({ org, previous }) => ({
    action: org.payoutWallet === null ? 'org.payout_wallet_cleared' : 'org.payout_wallet_set',
    object: { kind: 'organization', id: org.id },
    details: { payout_wallet: org.payoutWallet, previous_payout_wallet: previous },
  }),
  wire: z.object({
    status: z.enum(['set', 'cleared']),
    org_id: z.uuid(),
    default_payout_wallet: z.string().nullable(),
    previous_default_payout_wallet: z.string().nullable(),
    recovery: PayoutRecoveryWire,
  }),
  toWire: ({ org, previous, recovery }) => ({
    status: org.payoutWallet === null ? ('cleared' as const) : ('set' as const),
    org_id: org.id,
    default_payout_wallet: org.payoutWallet,
    previous_default_payout_wallet: previous,
    recovery: payoutRecoveryToWire(recovery),
  }),
});

const was = alias(orgs, 'was');
const setStatement = statement(
  'orgs.set-payout-wallet',
  { params: pick(orgs, 'id', 'payoutWallet'), row: { ...allOf(orgs), previous: was.payoutWallet } },
  ({ id, payoutWallet }, row) => sql`update ${orgs} ${setOf(orgs, { payoutWallet })}
    from (select ${was.id}, ${was.payoutWallet} from ${from(was)} where ${was.id} = ${id} for no key update) ${was}
    where ${orgs.id} = ${was.id} returning ${row}`,
);
