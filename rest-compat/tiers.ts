import { type SetTier, setTier } from '../resolvers/tiers/set-tier.ts';
import { route } from './route.ts';

/** Paths of tiers and leases. Contract 01, sections 5.1, 6.8 and 6.9. */
export const tierRoutes = [
  route(
    'POST',
    '/tiers/v1/:tier',
    { usual: 200, of: ({ action }: SetTier) => (action === 'subscribe' ? 201 : 200) },
    setTier,
  ),
];
