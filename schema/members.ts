import { dropNulls } from '../core/drop-nulls.ts';
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
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { type InputFields, orgField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
import { MemberConnection, MemberRef, memberId, membersOf, OrganizationRef, RoleEnum } from './orgs.ts';
import { run } from './run.ts';

/** How a member is addressed. */
export const memberFields = (t: InputFields) => ({
  ...orgField(t),
  principal: t.id({ description: 'Principal of the member, `prn_…`.' }),
  ...keyField(t),
});

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

const AddMemberInput = builder.inputType('AddMemberInput', {
  description: 'A wallet that becomes a member.',
  fields: (t) => ({
    ...orgField(t),
    wallet: t.string({ description: 'Address of the wallet, in any letter case.' }),
    role: t.field({ type: RoleEnum, required: false, description: 'Role it gets: `DEVELOPER` unless told.' }),
    ...keyField(t),
  }),
});

const SetMemberRoleInput = builder.inputType('SetMemberRoleInput', {
  description: 'A member and the role it gets.',
  fields: (t) => ({ ...memberFields(t), role: t.field({ type: RoleEnum, description: 'Role that the member gets.' }) }),
});

const RemoveMemberInput = builder.inputType('RemoveMemberInput', {
  description: 'The member to remove.',
  fields: memberFields,
});

const RevokeMemberKeyInput = builder.inputType('RevokeMemberKeyInput', {
  description: 'The member whose encryption key is revoked.',
  fields: (t) => ({
    ...memberFields(t),
    reason: t.string({ required: false, description: 'Why, at most 200 characters.' }),
  }),
});

const CreateInviteInput = builder.inputType('CreateInviteInput', {
  description: 'An invitation to an organization.',
  fields: (t) => ({
    ...orgField(t),
    email: t.string({ description: 'Address to invite.' }),
    role: t.field({ type: RoleEnum, required: false, description: 'Role it gets: `DEVELOPER` unless told.' }),
    inviteTtlHours: t.int({
      required: false,
      description: 'Hours until the invitation expires: 168 unless told, at most 8760.',
    }),
    ...keyField(t),
  }),
});

const RevokeInviteInput = builder.inputType('RevokeInviteInput', {
  description: 'The invitation to take back.',
  fields: memberFields,
});

builder.mutationFields((t) => ({
  addMember: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(addMember),
    authScopes: { credential: true },
    args: { input: t.arg({ type: AddMemberInput, description: 'The new member.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, idempotencyKey, ...given } = dropNulls(input);
      const { member } = await run(addMember, keyed(ctx, idempotencyKey), {
        ...given,
        org: nativeId('Organization', org),
      });
      return member;
    },
  }),
  setMemberRole: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(setMemberRole),
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetMemberRoleInput, description: 'The member and the role.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, idempotencyKey, ...given } = dropNulls(input);
      const { member } = await run(setMemberRole, keyed(ctx, idempotencyKey), {
        ...given,
        org: nativeId('Organization', org),
      });
      return member;
    },
  }),
  removeMember: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(removeMember),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RemoveMemberInput, description: 'The member.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, principal, idempotencyKey } = dropNulls(input);
      return await run(removeMember, keyed(ctx, idempotencyKey), {
        org: nativeId('Organization', org),
        principal,
      });
    },
  }),
  revokeMemberKey: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(revokeMemberKey),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RevokeMemberKeyInput, description: 'The member.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, idempotencyKey, ...given } = dropNulls(input);
      const { member } = await run(revokeMemberKey, keyed(ctx, idempotencyKey), {
        ...given,
        org: nativeId('Organization', org),
      });
      return member;
    },
  }),
  createInvite: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(createInvite),
    authScopes: { credential: true },
    args: { input: t.arg({ type: CreateInviteInput, description: 'The invitation.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, inviteTtlHours, idempotencyKey, ...given } = dropNulls(input);
      const { member } = await run(createInvite, keyed(ctx, idempotencyKey), {
        ...given,
        org: nativeId('Organization', org),
        invite_ttl_hours: inviteTtlHours,
      });
      return member;
    },
  }),
  revokeInvite: t.field({
    type: MemberRef,
    nullable: true,
    ...fieldOf(revokeInvite),
    authScopes: { credential: true },
    args: { input: t.arg({ type: RevokeInviteInput, description: 'The invitation.' }) },
    resolve: async (_root, { input }, ctx) => {
      const { org, principal, idempotencyKey } = dropNulls(input);
      return await run(revokeInvite, keyed(ctx, idempotencyKey), {
        org: nativeId('Organization', org),
        principal,
      });
    },
  }),
}));
