import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { asKept, jsonObject } from '../../db/json.ts';
import { isCheckViolation } from '../../db/pool.ts';
import { users } from '../../db/project-schema/auth.ts';
import { insertInto, nameOf, pick, typed } from '../../db/sql.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import { email, newPassword } from './auth-input.ts';
import { userData } from './client-user.ts';
import { endpoint, withKey } from './endpoint.ts';
import { hashPassword } from './passwords.ts';
import { momentOf } from './rows.ts';
import { authSettings } from './settings.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import { countOfNetwork } from './throttle.ts';

/** `POST /auth/v1/signup`. Contract 01, section 3.2. */
export const signup = endpoint({
  name: 'auth.signup',
  summary: 'Make a user with a password; the password grant then signs it in.',
  input: z.object({
    email,
    password: newPassword,
    is_admin: z.boolean().default(false).describe('Whether it manages the project; for the service key alone.'),
    email_confirm: z
      .boolean()
      .default(false)
      .describe('Whether the address is known to be the user’s; for the service key alone.'),
    data: userData.optional(),
  }),
  admit: withKey,
  async handler(ctx, { email, password, is_admin, email_confirm, data }) {
    const { services, target, keyRole } = ctx;
    const trusted = keyRole === 'service_role';
    if (is_admin && !trusted) throw new ServiceError('FORBIDDEN', { message: 'The service key alone makes admins.' });
    if (email_confirm && !trusted)
      throw new ServiceError('FORBIDDEN', { message: 'The service key alone confirms addresses.' });
    const { public_signup: policy } = await authSettings(services, target);
    // Also for an address that is known: a password proves nothing of whose address it is.
    if (policy !== 'open' && !trusted)
      throw new ServiceError('FORBIDDEN', { message: 'This project has no open sign-up.', details: { policy } });
    await countOfNetwork(ctx, signInThrottles.signupOfNetwork, 'signups');
    // Before it is known whether the address is taken, so that the answer takes as long either way.
    const hash = await hashPassword(services, target, password);
    const insert = insertStatement.with({
      email,
      passwordHash: hash,
      isAdmin: is_admin,
      userMetadata: JSON.stringify(data ?? {}),
      confirmed: email_confirm,
    });
    const created = await authRow(services, target, insert).catch((error: unknown) => {
      // Numbers are longer in the database than they may be written.
      throw isCheckViolation(error) ? invalidField('data', 'too large as it is kept') : error;
    });
    if (created === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
    return { ...created, created_at: momentOf(created.created_at) };
  },
  wire: z.object({ id: z.uuid(), email: z.string(), created_at: z.iso.datetime(), is_admin: z.boolean() }),
});

const insertStatement = authStatement(
  'user_signup',
  {
    params: {
      ...pick(users, 'email', 'passwordHash', 'isAdmin', 'userMetadata'),
      confirmed: typed<boolean>('boolean'),
    },
    answer: jsonObject(asKept(pick(users, 'id', 'email', 'createdAt', 'isAdmin'))),
  },
  ({ confirmed, ...given }, answer) => sql`${insertInto(users, {
    ...given,
    emailVerifiedAt: sql`case when ${confirmed}::boolean then now() end`,
  })}
    on conflict (${nameOf(users.email)}) do nothing
    returning ${answer}`,
);
