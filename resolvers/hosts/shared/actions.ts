import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. Names of hosts are public; claiming and connecting them is for developers. */
export const hostActions = actions({
  'project:domains:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'domains:write'],
    delegate: ['read', 'project.read', 'domains:write'],
    serviceKey: true,
  },
  'project:domains:write': {
    role: 'developer',
    grants: ['domains:write'],
    delegate: ['domains:write'],
    serviceKey: true,
  },
});
