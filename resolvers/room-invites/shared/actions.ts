import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const roomInviteActions = actions({
  'room:invite': { role: 'developer' },
});
