import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. Nobody reads a value. */
export const secretActions = actions({
  'project:secrets:read': {
    role: 'developer',
    grants: ['secrets:read', 'secrets:write'],
    delegate: ['secrets:read', 'secrets:write'],
    serviceKey: true,
  },
  'project:secrets:write': {
    role: 'developer',
    grants: ['secrets:write'],
    delegate: ['secrets:write'],
    serviceKey: true,
  },
});
