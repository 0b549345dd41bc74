import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jsonObject } from '../../db/json.ts';
import { named, users } from '../../db/project-schema/auth.ts';
import { from, typed } from '../../db/sql.ts';
import { endpoint, withServiceKey } from './endpoint.ts';
import { UserWire, userToWire } from './get-user.ts';
import { userFacts } from './live-session.ts';
import { authRow, authRows, authStatement } from './shared/auth-rows.ts';

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
    const shown = { limit: per_page, offset: (page - 1) * per_page };
    const rows = await authRows(services, target, listStatement.with(shown));
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
    const user = await authRow(services, target, byIdStatement.with({ id: user_id }));
    if (user === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'There is no such user.' });
    return userToWire(user, null);
  },
  wire: UserWire,
});

const u = named(users, 'u');
const userJson = jsonObject(userFacts(u));

const listStatement = authStatement(
  'users_list',
  { params: { limit: typed<number>('integer'), offset: typed<number>('integer') }, answer: userJson },
  ({ limit, offset }, answer) => sql`select ${answer}
    from (select * from ${users} order by ${users.createdAt} desc, ${users.id} desc
      limit ${limit}::int offset ${offset}::int) u
    order by ${u.createdAt} desc, ${u.id} desc`,
);

const byIdStatement = authStatement(
  'user_by_id',
  { params: { id: u.id }, answer: userJson },
  ({ id }, answer) => sql`select ${answer} from ${from(u)} where ${u.id} = ${id}`,
);
