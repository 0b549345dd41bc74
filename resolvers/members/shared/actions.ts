import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const memberActions = actions({
  'org:members:write': { role: 'owner' },
});
