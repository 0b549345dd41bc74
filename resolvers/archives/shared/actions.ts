import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at archives of a project, and who may make and download them: one holds all rows. Contract 03, section 8. */
export const archiveActions = actions({
  'project:archives:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
  },
  'project:archives:export': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
  },
  'org:archives:import': { role: 'developer' },
});
