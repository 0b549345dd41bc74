import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const contactActions = actions({
  'escalation:contacts:read': { role: 'viewer' },
  'escalation:contacts:write': { role: 'owner' },
});
