import { z } from 'zod';
import type { ServiceError } from '../../core/errors.ts';
import { onOrg, shownTo } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { loadOrgs } from './shared/load-orgs.ts';
import {
  type PayoutRecovery,
  PayoutRecoveryWire,
  payoutRecoveries,
  payoutRecoveryToWire,
} from './shared/payout-recovery.ts';

/** `GET /orgs/v1/:org_id/payout-wallet`: an addition, beside the documented `PATCH`. Contract 01, section 6.2. */
export const getPayout = query({
  name: 'orgs.getPayout',
  tool: 'get_org_payout_wallet',
  command: 'org payout-wallet get',
  summary: 'Where an organization’s own earnings go, and whether that is settled.',
  path: 'GET /orgs/v1/:org_id/payout-wallet',
  access: onOrg(orgActions['org:payout:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  async handler({ services, org }): Promise<PayoutRecovery> {
    const [payout] = await payoutRecoveries(services.db.rows, [org.id]);
    return payout!;
  },
  wire: z.object({ org_id: z.uuid(), default_payout_wallet: z.string().nullable(), recovery: PayoutRecoveryWire }),
  toWire: (payout) => ({
    org_id: payout.orgId,
    default_payout_wallet: payout.defaultWallet,
    recovery: payoutRecoveryToWire(payout),
  }),
});

/** Of several organizations in two statements; in place of what the caller may not see, its refusal. */
export async function loadPayouts(ctx: Context, ids: readonly string[]): Promise<(PayoutRecovery | ServiceError)[]> {
  const caller = await ctx.caller();
  const seen = new Map((await loadOrgs(ctx, ids)).map((org) => [org.id, org]));
  const shown = ids.map((id) => shownTo(caller, orgActions['org:payout:read'], seen.get(id)));
  const found = await payoutRecoveries(
    ctx.services.db.rows,
    shown.flatMap((org) => ('id' in org ? [org.id] : [])),
  );
  const payouts = new Map(found.map((payout) => [payout.orgId, payout]));
  return shown.map((org) => ('id' in org ? payouts.get(org.id)! : org));
}
