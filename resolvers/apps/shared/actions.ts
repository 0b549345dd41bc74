import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at the published versions of a project, and who may publish them. Contract 04, section 3.3. */
export const appActions = actions({
  'project:apps:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'deploy', 'project:write'],
    delegate: ['read', 'project.read', 'deploy', 'project:write'],
    serviceKey: true,
  },
  'project:apps:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
