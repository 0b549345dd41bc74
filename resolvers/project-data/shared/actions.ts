import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const projectDataActions = actions({
  'project:schema:read': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
    admin: true,
  },
  'project:expose:read': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
    admin: true,
  },
  'project:expose:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
