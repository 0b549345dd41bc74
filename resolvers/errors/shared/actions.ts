import { actions } from '../../../kernel/access/permissions.ts';

/** Who may do what here. */
export const errorActions = actions({
  'project:errors:write': {
    role: 'developer',
    grants: ['project:write'],
    delegate: ['project:write'],
    serviceKey: true,
  },
});
