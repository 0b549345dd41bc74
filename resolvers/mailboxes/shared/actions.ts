import { actions } from '../../../kernel/access/permissions.ts';

/** Who may see and use the mail of a project. */
export const mailboxActions = actions({
  'project:mail:read': {
    role: 'developer',
    grants: ['mailbox:write'],
    delegate: ['mailbox:write'],
    serviceKey: true,
  },
  'project:mail:write': {
    role: 'developer',
    grants: ['mailbox:write'],
    delegate: ['mailbox:write'],
    serviceKey: true,
  },
});
