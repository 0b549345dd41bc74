import { domain } from '../../kernel/run/domain.ts';
import { createDelegate } from './create-delegate.ts';
import { createGrant } from './create-grant.ts';
import { listDelegates } from './list-delegates.ts';
import { listGrants } from './list-grants.ts';
import { revokeDelegate } from './revoke-delegate.ts';
import { revokeGrant } from './revoke-grant.ts';
import { rotateDelegate } from './rotate-delegate.ts';

export const grants = domain('grants', {
  operations: [createGrant, listGrants, revokeGrant, createDelegate, listDelegates, rotateDelegate, revokeDelegate],
});
