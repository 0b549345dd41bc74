import { addCredit } from '../resolvers/billing/add-credit.ts';
import { createEmailOrganization, type EmailOrganization } from '../resolvers/billing/create-email-org.ts';
import { listHistory } from '../resolvers/billing/list-history.ts';
import type { Posted } from '../resolvers/ledger/shared/ledger.ts';
import { route } from './route.ts';

/** Paths of balances. Contract 01, section 6.9; contract 04, section 1.4. */
export const billingRoutes = [
  route('GET', '/orgs/v1/:org_id/billing/history', 200, listHistory, { before: null, from_end: null }),
  route(
    'POST',
    '/orgs/v1/admin/:org_id/credits',
    { usual: 201, of: ({ replayed }: Posted) => (replayed ? 200 : 201) },
    addCredit,
  ),
  route(
    'POST',
    '/orgs/v1/email',
    { usual: 201, of: ({ created }: EmailOrganization) => (created ? 201 : 200) },
    createEmailOrganization,
  ),
];
