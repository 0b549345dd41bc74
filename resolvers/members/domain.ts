import { domain } from '../../kernel/run/domain.ts';
import { memberErrors } from './error-codes.ts';
import { memberEvents } from './event-types.ts';
import { removeMember } from './remove-member.ts';
import { revokeMemberKey } from './revoke-key.ts';
import { setMemberRole } from './set-role.ts';
import { memberActions } from './shared/actions.ts';
import { addMember } from './shared/add-member.ts';

export const members = domain('members', {
  errors: memberErrors,
  actions: memberActions,
  events: memberEvents,
  operations: [addMember, setMemberRole, removeMember, revokeMemberKey],
});
