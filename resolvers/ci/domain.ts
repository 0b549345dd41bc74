import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createBinding } from './create-binding.ts';
import { ciErrors } from './error-codes.ts';
import { exchangeToken } from './exchange-token.ts';
import { getBinding, listBindings } from './read-bindings.ts';
import { forgetBindings, revokeBinding } from './revoke-binding.ts';
import { setAssetScopes } from './set-asset-scopes.ts';

onProjectDeletion(forgetBindings);

export const ci = domain('ci', {
  errors: ciErrors,
  operations: [createBinding, listBindings, getBinding, revokeBinding, setAssetScopes],
  signInFlows: [exchangeToken],
});
