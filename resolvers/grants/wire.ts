import { z } from 'zod';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { type delegates, projectGrants } from '../../db/schema/projects.ts';
import { allOf, computed, from, type RowOf } from '../../db/sql.ts';
import { grantHolds } from '../../kernel/access/rules.ts';
import { firstWallet } from '../identity/shared/known-addresses.ts';

const holder = alias(principals, 'holder');

/** The columns of a {@link GrantRow}. */
export const grantColumns = {
  ...allOf(projectGrants),
  displayName: computed<string | null>(
    'text',
    sql`(select ${holder.displayName} from ${from(holder)} where ${holder.id} = ${projectGrants.principalId})`,
  ),
  /** Lower case. */
  wallet: computed<string | null>('text', sql`(${firstWallet(projectGrants.principalId)})`),
};

/** A grant, with the name and the wallet of the principal that holds it. */
export type GrantRow = RowOf<typeof grantColumns>;

/** How many rows that have ended a list shows beside those that hold. */
export const endedMax = 1_000;

/**
 * The order and the bound of a list that is not paged: all rows of a project that hold, of which there are only so many,
 * then those that were revoked or have run out, each part newest first. Follows its `where`.
 */
export function liveFirst(
  table: typeof projectGrants | typeof delegates,
  { orgId, projectId }: { readonly orgId: SQL; readonly projectId: SQL },
): SQL {
  const held = alias(table, 'held');
  return sql`order by (${grantHolds(table)}) desc, ${table.createdAt} desc, ${table.id} desc
    limit ${sql.raw(String(endedMax))} + (select count(*) from ${from(held)}
      where ${held.orgId} = ${orgId} and ${held.projectId} = ${projectId} and ${grantHolds(held)})`;
}

/** Contract 01, section 6.6. */
export const GrantWire = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    principal_id: z.string(),
    display_name: z.string().nullable(),
    wallet: z.string().nullable(),
    capability: z.string(),
    policy: z.record(z.string(), z.unknown()).nullable(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ProjectGrant' });

export const grantToWire = (grant: GrantRow) => ({
  id: grant.id,
  project_id: grant.projectId,
  principal_id: grant.principalId,
  display_name: grant.displayName,
  wallet: grant.wallet,
  capability: grant.capability,
  policy: grant.policy,
  expires_at: grant.expiresAt?.toISOString() ?? null,
  revoked_at: grant.revokedAt?.toISOString() ?? null,
  created_at: grant.createdAt.toISOString(),
});
