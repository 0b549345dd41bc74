import { domain } from '../../kernel/run/domain.ts';
import { tierErrors } from './error-codes.ts';
import { getTierStatus } from './get-tier-status.ts';
import { listTiers, quoteTiers } from './list-tiers.ts';
import { setTier } from './set-tier.ts';
import { tierActions } from './shared/actions.ts';

export const tiers = domain('tiers', {
  errors: tierErrors,
  actions: tierActions,
  operations: [listTiers, quoteTiers, setTier, getTierStatus],
});
