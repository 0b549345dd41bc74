import { z } from 'zod';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { findCheckout } from './checkout-rows.ts';
import { checkoutActions } from './shared/actions.ts';
import { CheckoutWire, checkoutToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/checkouts/:topup_id`. Contract 04, section 1.4. */
export const getCheckout = query({
  name: 'billing.getCheckout',
  tool: 'get_checkout',
  command: 'billing checkout-status',
  summary: 'Where a payment by card or by lightning stands.',
  path: 'GET /orgs/v1/:org_id/checkouts/:topup_id',
  access: onOrg(checkoutActions['org:topup'], ({ org }: { org: string }) => org),
  input: z.object({
    org: orgId,
    topup: z.string().min(1).max(64).toLowerCase().describe('The top-up, a UUID.'),
  }),
  handler: ({ services, org }, { topup }) => findCheckout(services.db.rows, org.id, topup),
  wire: CheckoutWire,
  toWire: checkoutToWire,
});
