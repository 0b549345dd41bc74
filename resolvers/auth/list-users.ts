import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { endpoint, withServiceKey } from './endpoint.ts';
import { UserWire, userToWire } from './get-user.ts';
import { type UserFacts, userFactsJson } from './live-session.ts';
import { type AuthStatement, authRow, authRows } from './shared/auth-rows.ts';

/** A number in a query; clients that have none send it empty. */
const count = (most: number, usual: number) =>
  z
    .string()
    .optional()
    .transform((text) => (text === undefined || text === '' ? usual : Number(text)))
    .pipe(z.number('must be a whole number').int('must be a whole number').min(1).max(most));

/** `GET /auth/v1/admin/users`. */
export const listUsers = endpoint({
  name: 'auth.listUsers',
  summary: 'The users of the project, newest first.',
  input: z.object({
    page: count(100_000, 1).describe('Which page, from 1.'),
    per_page: count(200, 50).describe('Users on a page, 50 unless told and at most 200.'),
  }),
  admit: withServiceKey,
  async handler({ services, target }, { page, per_page }) {
    const rows = await authRows<UserFacts>(services, target, listStatement, [per_page, (page - 1) * per_page]);
    return { users: rows.map((user) => userToWire(user, null)), aud: 'authenticated' as const };
  },
  wire: z.object({ users: z.array(UserWire), aud: z.literal('authenticated') }),
});

/** `GET /auth/v1/admin/users/:user_id`. */
export const getUserById = endpoint({
  name: 'auth.userById',
  summary: 'A user of the project.',
  input: z.object({ user_id: z.uuid('must be the id of a user (a UUID)').describe('The user.') }),
  admit: withServiceKey,
  async handler({ services, target }, { user_id }) {
    const user = await authRow<UserFacts>(services, target, byIdStatement, [user_id]);
    if (user === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such user.' });
    return userToWire(user, null);
  },
  wire: UserWire,
});

const listStatement: AuthStatement = {
  name: 'users_list',
  text: `select json_build_object(${userFactsJson('u')})
    from (select * from auth.users order by created_at desc, id desc limit $1::int offset $2::int) u
    order by u.created_at desc, u.id desc`,
};

const byIdStatement: AuthStatement = {
  name: 'user_by_id',
  text: `select json_build_object(${userFactsJson('u')}) from auth.users u where u.id = $1::uuid`,
};
