import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { named, users } from '../../db/project-schema/auth.ts';
import { from, setOf, typed } from '../../db/sql.ts';
import { newPassword, sixDigits, triedPassword } from './auth-input.ts';
import { userData } from './client-user.ts';
import { asUser, endpoint } from './endpoint.ts';
import { UserWire, userToWire } from './get-user.ts';
import { requireSession } from './live-session.ts';
import { proveForPassword, replacePassword } from './set-password.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';

/** `PUT /auth/v1/user`: the password, by the rules of section 3.8, and what the app keeps with its user. */
export const updateUser = endpoint({
  name: 'auth.updateUser',
  summary: 'Change the user’s password, or what the app keeps with the user.',
  input: z.object({
    password: newPassword.optional(),
    current_password: triedPassword.optional().describe('The password so far, unless a mail has just proven the user.'),
    nonce: sixDigits.optional().describe('Instead of the password so far: the code of `GET /auth/v1/reauthenticate`.'),
    data: userData.optional(),
    email: z.string().max(1024).optional().describe('The user’s address, which stays what it is.'),
    phone: z.string().max(64).optional().describe('None: users have no phone here.'),
  }),
  admit: asUser,
  async handler(ctx, { password, current_password, nonce, data, email, phone }) {
    const { services, target, account, user } = ctx;
    if (email !== undefined && email.trim().toLowerCase() !== account.email)
      throw invalidField('email', 'the address of a user stays what it is');
    if (phone !== undefined && phone !== '') throw invalidField('phone', 'users have no phone here');
    // A caller who may not set the password changes nothing.
    if (password !== undefined) await proveForPassword(services, target, ctx, { current_password, code: nonce });
    if (data !== undefined) {
      const kept = await authRow(services, target, dataStatement.with({ id: account.id, data: JSON.stringify(data) }));
      if (kept === undefined) throw invalidField('data', 'too large together with what is kept already');
    }
    if (password !== undefined) await replacePassword(services, target, ctx, password);
    return userToWire(await requireSession(services, target, user!), null);
  },
  wire: UserWire,
});

const u = named(users, 'u');

const dataStatement = authStatement(
  'user_data',
  { params: { id: users.id, data: typed<string>('jsonb') }, answer: toJson(u.id) },
  // Members that are given replace those of their name; null takes one away.
  ({ id, data }, answer) => sql`update ${from(u)} ${setOf(users, { userMetadata: sql`m.merged` })}
    from (select ${users.id}, (${users.userMetadata} || ${data}::jsonb)
        - array(select key from jsonb_each(${data}::jsonb) where value = 'null') as merged
      from ${users} where ${users.id} = ${id} for update) m
    where ${u.id} = m.id and octet_length(m.merged::text) <= 32768 returning ${answer}`,
);
