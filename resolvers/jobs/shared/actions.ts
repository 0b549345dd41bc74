import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at the jobs of a project, and who may submit them and spend. Contract 04, section 3.1. */
export const jobActions = actions({
  'project:jobs:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
    serviceKey: true,
  },
  'project:jobs:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
