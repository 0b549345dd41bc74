import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const trafficActions = actions({
  'project:logs:read': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
    admin: true,
  },
});
