import { createInvite } from '../resolvers/invites/create-invite.ts';
import { isPending, listInvites } from '../resolvers/invites/list-invites.ts';
import { revokeInvite } from '../resolvers/invites/revoke-invite.ts';
import { removeMember } from '../resolvers/members/remove-member.ts';
import { revokeMemberKey } from '../resolvers/members/revoke-key.ts';
import { setMemberRole } from '../resolvers/members/set-role.ts';
import { addMember } from '../resolvers/members/shared/add-member.ts';
import type { MemberRow } from '../resolvers/orgs/shared/member-row.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { MemberConnection, MemberRef, memberId, membersOf, OrganizationRef, RoleEnum } from './orgs.ts';

const InvitationRef = builder.objectRef<MemberRow>('Invitation').implement({
  description: 'A membership that waits for the invited person to sign in with the address.',
  fields: (t) => ({
    email: t.string({ description: 'Address that was invited.', resolve: ({ invitedEmail }) => invitedEmail! }),
    invitedBy: t.exposeString('invitedBy', { nullable: true, description: 'Principal that invited, `prn_…`.' }),
    expiresAt: t.expose('inviteExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires: from then on it begins no membership.',
    }),
    mailedAt: t.expose('inviteMailedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last mailed: every five minutes at most.',
    }),
  }),
});

builder.objectField(MemberRef, 'invitation', (t) =>
  t.field({
    type: InvitationRef,
    nullable: true,
    description: 'The invitation behind an `INVITED` membership; null for every other.',
    resolve: (member) => (isPending(member) ? member : null),
  }),
);

builder.objectField(OrganizationRef, 'invites', (t) =>
  t.field({
    type: MemberConnection,
    ...fieldOf(listInvites),
    args: pageArgs,
    // Who may see the members may see these among them, so the same rows serve both.
    resolve: async (org, page, ctx) =>
      sliceConnection((await membersOf(ctx).load(org.id)).filter(isPending), memberId, page),
  }),
);

const memberOf = ({ member }: { readonly member: MemberRow }) => member;

changeField('addMember', addMember, {
  type: MemberRef,
  input: 'A wallet that becomes a member.',
  argument: 'The new member.',
  types: { role: RoleEnum },
  result: memberOf,
});

changeField('setMemberRole', setMemberRole, {
  type: MemberRef,
  input: 'A member and the role it gets.',
  argument: 'The member and the role.',
  ids: { principal: null },
  types: { role: RoleEnum },
  result: memberOf,
});

changeField('removeMember', removeMember, {
  type: MemberRef,
  input: 'The member to remove.',
  argument: 'The member.',
  ids: { principal: null },
});

changeField('revokeMemberKey', revokeMemberKey, {
  type: MemberRef,
  input: 'The member whose encryption key is revoked.',
  argument: 'The member.',
  ids: { principal: null },
  result: memberOf,
});

changeField('createInvite', createInvite, {
  type: MemberRef,
  input: 'An invitation to an organization.',
  argument: 'The invitation.',
  types: { role: RoleEnum },
  result: memberOf,
});

changeField('revokeInvite', revokeInvite, {
  type: MemberRef,
  input: 'The invitation to take back.',
  argument: 'The invitation.',
  ids: { principal: null },
});
