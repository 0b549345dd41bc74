import { actions, openingCapabilities } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const projectActions = actions({
  'project:list': { role: 'viewer', delegate: openingCapabilities },
  'project:create': { role: 'developer' },
  'project:read': {
    role: 'viewer',
    grants: openingCapabilities,
    delegate: openingCapabilities,
    serviceKey: true,
    admin: true,
  },
  'project:keys:read': { role: 'owner' },
  'project:rename': { role: 'admin', grants: ['project:write'], delegate: ['project:write'] },
  'project:delete': { role: 'owner', serviceKey: true },
  'project:sql': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
    admin: true,
  },
});
