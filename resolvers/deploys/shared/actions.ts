import { actions } from '../../../kernel/access/permissions.ts';

/**
 * Who may deploy, and who may look at it. The anon key reads, since clients follow their deploy by it; what they read has
 * no secret. Contract 03, section 0.1.
 */
export const deployActions = actions({
  'project:deploys:read': {
    role: 'viewer',
    grants: ['read', 'project.read', 'deploy', 'project:write'],
    delegate: ['read', 'project.read', 'deploy', 'project:write'],
    serviceKey: true,
    anonKey: true,
    ci: true,
  },
  'project:deploys:write': {
    role: 'developer',
    grants: ['deploy', 'project:write'],
    delegate: ['deploy', 'project:write'],
    ci: true,
  },
});
