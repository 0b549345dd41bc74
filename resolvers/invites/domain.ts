import { domain } from '../../kernel/run/domain.ts';
import { createInvite } from './create-invite.ts';
import { inviteErrors } from './error-codes.ts';
import { listInvites } from './list-invites.ts';
import { revokeInvite } from './revoke-invite.ts';
import { inviteActions } from './shared/actions.ts';

export const invites = domain('invites', {
  errors: inviteErrors,
  actions: inviteActions,
  operations: [listInvites, createInvite, revokeInvite],
});
