import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const inviteActions = actions({
  'org:invites:read': { role: 'viewer', admin: true },
  'org:invites:write': { role: 'owner' },
});
