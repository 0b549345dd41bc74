import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const billingActions = actions({
  'org:billing:read': { role: 'billing', admin: true },
});
