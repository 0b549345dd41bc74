import { actions } from '../../../kernel/access/permissions.ts';

/**
 * Who may do what here. A service credential grants what the service key does, and whoever may hand out the one may hand
 * out the other: owners alone, and never a key or a delegate.
 */
export const credentialActions = actions({
  'project:credentials:read': { role: 'owner' },
  'project:credentials:write': { role: 'owner' },
  'project:credentials:status': { role: 'admin', grants: ['project:write'], delegate: ['project:write'] },
});
