import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const orgActions = actions({
  'org:read': { role: 'viewer', admin: true },
  'org:members:read': { role: 'viewer', admin: true },
  'org:rename': { role: 'owner' },
  'org:payout:read': { role: 'billing' },
  'org:payout:write': { role: 'owner' },
  'org:audit:read': { role: 'admin' },
  'org:slug:claim': { role: 'owner' },
  'org:billing:read': { role: 'billing', admin: true },
});
