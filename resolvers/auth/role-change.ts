import { type SQL, sql } from '../../db/drizzle.ts';
import { users } from '../../db/project-schema/auth.ts';

/**
 * For `on conflict … do update`: a user becomes an admin or ceases to be one, and the tokens that say otherwise lose the
 * role.
 *
 * @param isAdmin null for a user who stays what it is
 */
export function roleChange(isAdmin: SQL): { readonly isAdmin: SQL; readonly authzVersion: SQL } {
  const wanted = sql`coalesce(${isAdmin}::boolean, ${users.isAdmin})`;
  return {
    isAdmin: wanted,
    authzVersion: sql`${users.authzVersion} + case when ${wanted} <> ${users.isAdmin} then 1 else 0 end`,
  };
}
