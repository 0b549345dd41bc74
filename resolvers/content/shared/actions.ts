import { actions } from '../../../kernel/access/permissions.ts';

/**
 * Who may upload for a project. Bytes do nothing before a deploy names them, so the anon key suffices, within a limit of
 * its own. Contract 03, section 2.1.
 */
export const contentActions = actions({
  'project:content:write': {
    role: 'developer',
    grants: ['deploy', 'project:write'],
    delegate: ['deploy', 'project:write'],
    serviceKey: true,
    anonKey: true,
    ci: true,
  },
});
