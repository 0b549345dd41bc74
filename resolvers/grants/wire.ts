import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import { type Grant, projectGrants } from '../../db/schema/projects.ts';

/** Columns of a grant `g`, for statements that yield it as {@link Grant}. */
export const grantColumns = columnsOf(projectGrants, 'g');

/** How many rows a list shows: those that hold come first, so that none of them is hidden by what has ended. */
export const listedMax = 1_000;

/** Order of lists that are not paged: what has not been revoked first, each part newest first. */
export const liveFirst = (alias: string) =>
  `order by (${alias}.revoked_at is not null), ${alias}.created_at desc, ${alias}.id desc limit ${listedMax}`;

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
