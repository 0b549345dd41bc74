import { isUuid } from '../core/ids.ts';
import type { Context } from '../kernel/run/context.ts';
import { createOrg } from '../resolvers/orgs/create-org.ts';
import { getOrg } from '../resolvers/orgs/get-org.ts';
import { listMembers } from '../resolvers/orgs/list-members.ts';
import { listOrgs } from '../resolvers/orgs/list-orgs.ts';
import { loadMembers, loadMemberships, type MemberKey } from '../resolvers/orgs/load-members.ts';
import { loadOrgs, type OrgWithRole } from '../resolvers/orgs/shared/load-orgs.ts';
import type { MemberRow } from '../resolvers/orgs/shared/member-row.ts';
import { leaseEndOf } from '../resolvers/orgs/shared/wire.ts';
import { builder, pageArgs } from './builder.ts';
import { inOrder, type PageArgs, sliceConnection } from './connection.ts';
import { loaderOf } from './loader.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';

export const RoleEnum = builder.enumType('Role', {
  description: 'Roles in an organization, highest first.',
  values: {
    OWNER: { value: 'owner', description: 'May do everything, members and deletion included.' },
    ADMIN: { value: 'admin', description: 'May rename projects and read the audit trail.' },
    DEVELOPER: { value: 'developer', description: 'May create projects and deploy.' },
    BILLING: { value: 'billing', description: 'May see and pay.' },
    VIEWER: { value: 'viewer', description: 'May read, and speak in rooms.' },
  } as const,
});

export const MembershipStatusEnum = builder.enumType('MembershipStatus', {
  description: 'Where a membership stands.',
  values: {
    ACTIVE: { value: 'active', description: 'Authorizes by its role.' },
    INVITED: { value: 'invited', description: 'Waits for the invited person to sign in.' },
    SUSPENDED: { value: 'suspended', description: 'Authorizes nothing for now.' },
    REVOKED: { value: 'revoked', description: 'Ended.' },
  } as const,
});

export const TierEnum = builder.enumType('Tier', {
  description: 'What an organization has subscribed to.',
  values: {
    PROTOTYPE: { value: 'prototype', description: 'For trying things out.' },
    HOBBY: { value: 'hobby', description: 'For small projects.' },
    TEAM: { value: 'team', description: 'For teams.' },
  } as const,
});

export const LifecycleStateEnum = builder.enumType('LifecycleState', {
  description: 'Where an organization stands with its lease.',
  values: {
    ACTIVE: { value: 'active', description: 'Paid, or free.' },
    PAST_DUE: { value: 'past_due', description: 'The lease has run out; everything still works.' },
    FROZEN: { value: 'frozen', description: 'Serves, but changes are refused.' },
    DORMANT: { value: 'dormant', description: 'Serves reads only.' },
    PURGED: { value: 'purged', description: 'Gone.' },
  } as const,
});

export const OrganizationRef = builder.loadableNodeRef<OrgWithRole, string>('Organization', {
  id: { resolve: (org) => org.id },
  load: async (ids, ctx) => inOrder(ids, await loadOrgs(ctx, ids.filter(isUuid)), (org) => org.id) as OrgWithRole[],
  toKey: (org) => org.id,
});

/** A membership's native id: neither half holds a slash. */
export const memberId = ({ orgId, principalId }: MemberKey) => `${orgId}/${principalId}`;

function parseMemberId(id: string): MemberKey {
  const [orgId = '', principalId = ''] = id.split('/', 2);
  return { orgId, principalId };
}

export const MemberRef = builder.loadableNodeRef<MemberRow, string>('Member', {
  id: { resolve: memberId },
  load: async (ids, ctx) => {
    const keys = ids.map(parseMemberId).filter(({ orgId }) => isUuid(orgId));
    return inOrder(ids, await loadMemberships(ctx, keys), memberId) as MemberRow[];
  },
  toKey: memberId,
});

MemberRef.implement({
  description: 'A membership: a principal’s place in an organization.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'Native id of the principal, `prn_…`.' }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'Name for people; null until one is set.',
    }),
    role: t.expose('role', { type: RoleEnum, description: 'The member’s role.' }),
    status: t.expose('status', { type: MembershipStatusEnum, description: 'Only `ACTIVE` authorizes anything.' }),
    wallet: t.exposeString('wallet', {
      nullable: true,
      description: 'Lower-case address; null for a member without a wallet.',
    }),
    joinedAt: t.expose('createdAt', { type: 'DateTime', description: 'When the membership was made.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization; null for a caller that may not see it.',
      resolve: ({ orgId }) => orgId,
    }),
  }),
});

export const MemberConnection = builder.connectionObject({ type: MemberRef, name: 'MemberConnection' });

/** Memberships by key, those that still exist, in the order given. */
export async function membershipPage(ctx: Context, keys: readonly MemberKey[], page: PageArgs) {
  const members = inOrder(keys.map(memberId), await loadMemberships(ctx, keys), memberId);
  return sliceConnection(
    members.filter((member) => member !== null),
    memberId,
    page,
  );
}

OrganizationRef.implement({
  description: 'Owns projects and rooms. Authority is a role in it.',
  fields: (t) => ({
    orgId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'Name for people, not unique; null when none is set.',
    }),
    slug: t.exposeString('slug', { nullable: true, description: 'Address form, unique; null until one is claimed.' }),
    tier: t.expose('tier', { type: TierEnum, description: 'What it has subscribed to.' }),
    lifecycleState: t.expose('lifecycleState', {
      type: LifecycleStateEnum,
      description: 'Where it stands with its lease.',
    }),
    leasePerpetual: t.exposeBoolean('leasePerpetual', { description: 'Whether it stays active for ever.' }),
    leaseStartedAt: t.expose('leaseStartedAt', { type: 'DateTime', description: 'When the current lease began.' }),
    leaseExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the current lease ends; null for a perpetual one.',
      resolve: leaseEndOf,
    }),
    role: t.expose('role', {
      type: RoleEnum,
      nullable: true,
      description: 'The caller’s own role; null for a platform admin who is no member.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    members: t.field({
      type: MemberConnection,
      ...fieldOf(listMembers),
      args: pageArgs,
      resolve: async (org, page, ctx) => sliceConnection(await membersOf(ctx).load(org.id), memberId, page),
    }),
  }),
});

/** Members of several organizations in one statement, however many ask. */
export const membersOf = loaderOf((ctx, orgIds: readonly string[]) => loadMembers(ctx, orgIds));

const OrganizationConnection = builder.connectionObject({ type: OrganizationRef, name: 'OrganizationConnection' });

readField('organization', getOrg, { type: OrganizationRef, rename: { org: 'id' } });

readField('organizations', listOrgs, {
  type: OrganizationConnection,
  paged: true,
  result: (memberships, page) =>
    sliceConnection(
      memberships.map(({ orgId }) => orgId),
      (id) => id,
      page,
    ),
});

changeField('createOrganization', createOrg, {
  type: OrganizationRef,
  input: 'What a new organization is called.',
  argument: 'The new organization.',
  result: (org) => ({ ...org, role: 'owner' as const }),
});
