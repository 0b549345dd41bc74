import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at branches of a project, and who may make, renew and delete them. Contract 03, section 7. */
export const branchActions = actions({
  'project:branches:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
  },
  'project:branches:manage': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
  },
});
