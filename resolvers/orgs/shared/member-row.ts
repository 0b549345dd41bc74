import { sql } from '../../../db/drizzle.ts';
import { principals } from '../../../db/schema/identity.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { computed, pick, type RowOf } from '../../../db/sql.ts';
import { firstWallet } from '../../identity/shared/known-addresses.ts';

/** The columns of a {@link MemberRow}. */
export const memberColumns = {
  ...pick(memberships, 'orgId', 'principalId', 'role', 'status', 'createdAt'),
  displayName: principals.displayName,
  /** Lower case; null for a member without a wallet. */
  wallet: computed<string | null>('text', sql`first.wallet`),
  /** Of the invitation: its normalised address and the principal that invited; null for a member who was added. */
  ...pick(memberships, 'invitedEmail', 'invitedBy', 'inviteExpiresAt', 'inviteMailedAt'),
};

/** A member as the organization's other members see it. */
export type MemberRow = RowOf<typeof memberColumns>;

/** Memberships, ended ones included: what a statement for {@link memberColumns} selects from. */
export const fromMemberships = sql`${memberships} join ${principals} on ${principals.id} = ${memberships.principalId}
  left join lateral (${firstWallet(memberships.principalId)}) first on true`;
