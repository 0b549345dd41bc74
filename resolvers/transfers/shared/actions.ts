import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const transferActions = actions({
  'project:transfer': { role: 'owner' },
});
