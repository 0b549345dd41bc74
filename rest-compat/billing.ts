import { addCredit } from '../resolvers/billing/add-credit.ts';
import { getBilling } from '../resolvers/billing/get-billing.ts';
import { listHistory } from '../resolvers/billing/list-history.ts';
import { lookupBilling } from '../resolvers/billing/lookup-billing.ts';
import type { Posted } from '../resolvers/ledger/shared/ledger.ts';
import { route } from './route.ts';

/** Paths of balances. Contract 01, section 6.9; contract 04, section 1.4. */
export const billingRoutes = [
  route('GET', '/orgs/v1/lookup', 200, lookupBilling),
  route('GET', '/orgs/v1/:org_id/billing', 200, getBilling),
  route('GET', '/orgs/v1/:org_id/billing/history', 200, listHistory, { before: null, from_end: null }),
  route(
    'POST',
    '/orgs/v1/admin/:org_id/credits',
    { usual: 201, of: ({ replayed }: Posted) => (replayed ? 200 : 201) },
    addCredit,
  ),
];
