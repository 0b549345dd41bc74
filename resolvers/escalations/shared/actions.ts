import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const escalationActions = actions({
  'escalation:raise': { role: 'viewer', grants: 'any', delegate: 'any' },
  'escalation:read': { role: 'viewer', grants: 'any', delegate: 'any' },
  'escalation:answer': { role: 'viewer' },
});
