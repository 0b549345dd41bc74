import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const roomActions = actions({
  'room:list': { role: 'viewer', delegate: 'any', serviceKey: true },
  'room:read': { role: 'viewer', grants: 'any', delegate: 'any', serviceKey: true },
  'room:write': { role: 'viewer', grants: 'any', delegate: 'any' },
});
