import { type SQL, sql } from '../../db/drizzle.ts';
import type { sessions } from '../../db/project-schema/auth.ts';

/** A session is neither ended nor past its time. */
export const stands = (of: typeof sessions): SQL =>
  sql`${of.revokedAt} is null and ${of.expiresAt} > now() and ${of.hardExpiresAt} > now()`;
