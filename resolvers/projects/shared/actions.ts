import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const projectActions = actions({
  'project:list': { role: 'viewer' },
  'project:create': { role: 'developer' },
  'project:read': {
    role: 'viewer',
    grants: ['read', 'project.read'],
    delegate: ['read', 'project.read'],
    serviceKey: true,
    admin: true,
  },
  'project:keys:read': { role: 'owner' },
  'project:rename': { role: 'admin', grants: ['project:write'], delegate: ['project:write'] },
  'project:delete': { role: 'owner', serviceKey: true },
  'project:sql': { role: 'developer', serviceKey: true, admin: true },
});
