import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at functions and at what they print. Contract 03, section 3.4, and 04, section 3.11. */
export const functionActions = actions({
  'project:functions:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'deploy', 'project:write'],
    delegate: ['read', 'project.read', 'deploy', 'project:write'],
    serviceKey: true,
  },
});
