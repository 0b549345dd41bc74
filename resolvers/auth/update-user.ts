import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { newPassword, sixDigits, triedPassword } from './auth-input.ts';
import { userData } from './client-user.ts';
import { asUser, endpoint } from './endpoint.ts';
import { UserWire, userToWire } from './get-user.ts';
import { requireSession } from './live-session.ts';
import { proveForPassword, replacePassword } from './set-password.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';

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
    // Whoever may not set the password has changed nothing.
    if (password !== undefined) await proveForPassword(services, target, ctx, { current_password, code: nonce });
    if (data !== undefined) {
      const kept = await authRow(services, target, dataStatement, [account.id, JSON.stringify(data)]);
      if (kept === undefined) throw invalidField('data', 'too large together with what is kept already');
    }
    if (password !== undefined) await replacePassword(services, target, ctx, password);
    return userToWire(await requireSession(services, target, user!), null);
  },
  wire: UserWire,
});

const dataStatement: AuthStatement = {
  name: 'user_data',
  // Members that are given replace those of their name; null takes one away.
  text: `update auth.users u set user_metadata = m.merged
    from (select id, (user_metadata || $2::jsonb) - array(select key from jsonb_each($2::jsonb) where value = 'null') as merged from auth.users where id = $1::uuid for update) m
    where u.id = m.id and octet_length(m.merged::text) <= 32768 returning to_json(u.id)`,
};
