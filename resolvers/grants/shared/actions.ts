import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const grantActions = actions({
  'project:grants:read': { role: 'owner' },
  'project:grants:write': { role: 'owner' },
  'project:delegates:read': { role: 'owner' },
  'project:delegates:write': { role: 'owner' },
});
