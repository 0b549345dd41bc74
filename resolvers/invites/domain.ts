import { domain } from '../../kernel/run/domain.ts';
import { createInvite } from './create-invite.ts';
import { listInvites } from './list-invites.ts';
import { revokeInvite } from './revoke-invite.ts';

export const invites = domain('invites', {
  operations: [listInvites, createInvite, revokeInvite],
});
