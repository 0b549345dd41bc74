import { actions } from '../../../kernel/access/permissions.ts';

/** Who may look at the signers of a project, and who may sign with them and spend. Contract 04, section 2. */
export const signerActions = actions({
  'project:signers:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
    serviceKey: true,
  },
  'project:signers:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
