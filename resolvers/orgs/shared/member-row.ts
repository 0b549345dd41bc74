import type { MembershipStatus, Role } from '../../../db/schema/orgs.ts';
import { firstWallet } from '../../identity/shared/known-addresses.ts';

/** A member as the organization's other members see it. */
export interface MemberRow {
  readonly orgId: string;
  readonly principalId: string;
  readonly displayName: string | null;
  readonly role: Role;
  readonly status: MembershipStatus;
  /** Lower case; null for a member without a wallet. */
  readonly wallet: string | null;
  readonly createdAt: Date;
  /** Normalised address of the invitation; null for a member who was added. */
  readonly invitedEmail: string | null;
  /** Principal that invited. */
  readonly invitedBy: string | null;
  readonly inviteExpiresAt: Date | null;
  readonly inviteMailedAt: Date | null;
}

/** Memberships `m`, ended ones included, as {@link MemberRow}; a statement goes on with `where …`. */
export const selectMemberships = `select m.org_id as "orgId", m.principal_id as "principalId", p.display_name as "displayName", m.role, m.status,
      a.public_subject as wallet, m.created_at as "createdAt", m.invited_email as "invitedEmail", m.invited_by as "invitedBy",
      m.invite_expires_at as "inviteExpiresAt", m.invite_mailed_at as "inviteMailedAt"
    from memberships m
    join principals p on p.id = m.principal_id
    left join lateral (
      ${firstWallet('m.principal_id')}
    ) a on true`;

/** Memberships `m` that are not revoked, as {@link MemberRow}; a statement goes on with `and …`. */
export const selectMembers = `${selectMemberships}
    where m.status <> 'revoked'`;
