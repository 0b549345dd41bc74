import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at snapshots of a project, and who may take, restore and delete them. Contract 03, section 6. */
export const snapshotActions = actions({
  'project:snapshots:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
  },
  'project:snapshots:manage': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
  },
});
