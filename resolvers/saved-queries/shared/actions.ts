import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here: those who may run SQL, and the platform admin only reads. */
export const savedQueryActions = actions({
  'project:queries:read': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
    admin: true,
  },
  'project:queries:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
