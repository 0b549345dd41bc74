import { setLeasePerpetual } from '../resolvers/lifecycle/set-lease-perpetual.ts';
import { getTierStatus } from '../resolvers/tiers/get-tier-status.ts';
import { listTiers, quoteTiers } from '../resolvers/tiers/list-tiers.ts';
import { type SetTier, setTier } from '../resolvers/tiers/set-tier.ts';
import { route } from './route.ts';

/** Paths of tiers and leases. Contract 01, sections 5.1, 6.8 and 6.9. */
export const tierRoutes = [
  route('GET', '/tiers/v1', 200, listTiers),
  route('POST', '/projects/v1/quote', 200, quoteTiers),
  route('GET', '/tiers/v1/status', 200, getTierStatus),
  route(
    'POST',
    '/tiers/v1/:tier',
    { usual: 200, of: ({ action }: SetTier) => (action === 'subscribe' ? 201 : 200) },
    setTier,
  ),
  route('POST', '/orgs/v1/admin/:org_id/lease-perpetual', 200, setLeasePerpetual),
];
