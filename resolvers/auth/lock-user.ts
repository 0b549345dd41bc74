import type { AuthStatement } from './shared/auth-rows.ts';

/**
 * Locks a user, before its passkeys, sessions and tokens in that order, so that nobody waits for each other. What begins
 * a session and what takes away a way to begin one come one after the other by it: statements behind it in the batch
 * find everything as the last change left it.
 */
export const lockUserStatement: AuthStatement = {
  name: 'lock_user',
  text: 'select to_json(id) from auth.users where id = $1::uuid for no key update',
};

/** As {@link lockUserStatement}, by address. */
export const lockAddressStatement: AuthStatement = {
  name: 'lock_address',
  text: 'select to_json(id) from auth.users where email = $1 for no key update',
};
