import { domain } from '../../kernel/run/domain.ts';
import { getTierStatus } from './get-tier-status.ts';
import { listTiers, quoteTiers } from './list-tiers.ts';
import { setTier } from './set-tier.ts';
import { tierActions } from './shared/actions.ts';

export const tiers = domain('tiers', {
  actions: tierActions,
  operations: [listTiers, quoteTiers, setTier, getTierStatus],
});
