import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. Public assets need no right: whoever has the address is served. Contract 03, section 4. */
export const assetActions = actions({
  'project:assets:read': {
    role: 'developer',
    grants: ['deploy', 'project:write'],
    delegate: ['deploy', 'project:write'],
    serviceKey: true,
  },
  'project:assets:write': {
    role: 'developer',
    grants: ['deploy', 'project:write'],
    delegate: ['deploy', 'project:write'],
    serviceKey: true,
  },
});
