import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { users } from '../../db/project-schema/auth.ts';
import { authStatement } from './shared/auth-rows.ts';

/**
 * Locks a user, before its passkeys, sessions and tokens in that order, so that nobody waits for each other. What begins
 * a session and what takes away a way to begin one come one after the other by it: statements behind it in the batch
 * find everything as the last change left it.
 */
export const lockUserStatement = authStatement(
  'lock_user',
  { params: { user: users.id }, answer: toJson(users.id) },
  ({ user }, answer) => sql`select ${answer} from ${users} where ${users.id} = ${user} for no key update`,
);

/** As {@link lockUserStatement}, by address. */
export const lockAddressStatement = authStatement(
  'lock_address',
  { params: { email: users.email }, answer: toJson(users.id) },
  ({ email }, answer) => sql`select ${answer} from ${users} where ${users.email} = ${email} for no key update`,
);
