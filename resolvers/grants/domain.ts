import { domain } from '../../kernel/run/domain.ts';
import { createDelegate } from './create-delegate.ts';
import { createGrant } from './create-grant.ts';
import { grantErrors } from './error-codes.ts';
import { listDelegates } from './list-delegates.ts';
import { listGrants } from './list-grants.ts';
import { revokeDelegate } from './revoke-delegate.ts';
import { revokeGrant } from './revoke-grant.ts';
import { rotateDelegate } from './rotate-delegate.ts';
import { grantActions } from './shared/actions.ts';

export const grants = domain('grants', {
  errors: grantErrors,
  actions: grantActions,
  operations: [createGrant, listGrants, revokeGrant, createDelegate, listDelegates, rotateDelegate, revokeDelegate],
});
