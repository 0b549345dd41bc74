import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const errorActions = actions({
  'project:errors:write': { role: 'developer', serviceKey: true },
});
