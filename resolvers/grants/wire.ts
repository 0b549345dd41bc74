import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import { type Grant, projectGrants } from '../../db/schema/projects.ts';
import { grantHolds } from '../../kernel/access/rules.ts';

/** Columns of a grant `g`, for statements that yield it as {@link Grant}. */
export const grantColumns = columnsOf(projectGrants, 'g');

/** How many rows that have ended a list shows beside those that hold. */
export const endedMax = 1_000;

/**
 * The rows `alias` of a list that is not paged: all that hold, of which there are only so many, then what was revoked or
 * has run out, each part newest first. Follows `where …` of a statement on `table`, of the project `$1`, `$2`.
 */
export const liveFirst = (table: 'project_grants' | 'delegates', alias: string) =>
  `order by (${grantHolds(alias)}) desc, ${alias}.created_at desc, ${alias}.id desc
    limit ${endedMax} + (select count(*) from ${table} held
      where held.org_id = $1 and held.project_id = $2 and ${grantHolds('held')})`;

/** Contract 01, section 6.6. */
export const GrantWire = z.object({
  id: z.uuid(),
  project_id: z.string(),
  principal_id: z.string(),
  capability: z.string(),
  policy: z.record(z.string(), z.unknown()).nullable(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
});

export const grantToWire = (grant: Grant) => ({
  id: grant.id,
  project_id: grant.projectId,
  principal_id: grant.principalId,
  capability: grant.capability,
  policy: grant.policy,
  expires_at: grant.expiresAt?.toISOString() ?? null,
  revoked_at: grant.revokedAt?.toISOString() ?? null,
  created_at: grant.createdAt.toISOString(),
});
