import { actions } from '../../kernel/access/permissions.ts';

/** Who may see which channels an organization tells its events in, and who decides that. Contract 02, section 5.7. */
export const channelActions = actions({
  'channel:routes:read': { role: 'viewer' },
  'channel:routes:write': { role: 'owner' },
});
