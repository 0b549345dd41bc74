import { actions } from '../../../kernel/access/permissions.ts';

/** Rights, by role and kind of credential. */
export const authActions = actions({
  'project:users:write': { role: 'developer', serviceKey: true },
});
