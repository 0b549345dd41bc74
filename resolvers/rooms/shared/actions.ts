import { actions } from '../../../kernel/access/permissions.ts';

/** Rights, by role and kind of credential. */
export const roomActions = actions({
  'room:list': { role: 'viewer', delegate: 'any', serviceKey: true },
  'room:read': { role: 'viewer', grants: 'any', delegate: 'any', serviceKey: true },
  'room:write': { role: 'viewer', grants: 'any', delegate: 'any' },
});
