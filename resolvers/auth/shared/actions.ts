import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const authActions = actions({
  'project:users:write': { role: 'developer', serviceKey: true },
});
