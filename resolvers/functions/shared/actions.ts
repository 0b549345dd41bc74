import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at functions and at what they print, and who may have them run. Contract 03, sections 3.4 and 3.6. */
export const functionActions = actions({
  'project:functions:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'deploy', 'project:write'],
    delegate: ['read', 'project.read', 'deploy', 'project:write'],
    serviceKey: true,
  },
  'project:functions:run': {
    role: 'developer',
    grants: ['functions:write', 'project:write'],
    delegate: ['functions:write', 'project:write'],
    serviceKey: true,
  },
});
