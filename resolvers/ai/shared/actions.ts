import { actions } from '../../../kernel/access/permissions.ts';

/** Who may see what a project has used of models, and who may ask them. Contract 04, section 3.2. */
export const aiActions = actions({
  'project:ai:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'project:write'],
    delegate: ['read', 'project.read', 'project:write'],
    serviceKey: true,
  },
  'project:ai:use': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
