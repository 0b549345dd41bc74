import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { email, newPassword } from './auth-input.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { endpoint, withKey } from './endpoint.ts';
import { hashPassword } from './passwords.ts';
import { momentOf } from './rows.ts';
import { authSettings } from './settings.ts';

interface Created {
  readonly id: string;
  readonly email: string;
  readonly created_at: string;
  readonly is_admin: boolean;
}

/** `POST /auth/v1/signup`. Contract 01, section 3.2. */
export const signup = endpoint({
  name: 'auth.signup',
  summary: 'Make a user with a password; the password grant then signs it in.',
  input: z.object({
    email,
    password: newPassword,
    is_admin: z.boolean().default(false).describe('Whether it manages the project; for the service key alone.'),
  }),
  admit: withKey,
  async handler({ services, target, keyRole }, { email, password, is_admin }) {
    const trusted = keyRole === 'service_role';
    if (is_admin && !trusted) throw new ServiceError('FORBIDDEN', { message: 'The service key alone makes admins.' });
    const { public_signup: policy } = await authSettings(services, target);
    // Also for an address that is known: a password proves nothing of whose address it is.
    if (policy !== 'open' && !trusted)
      throw new ServiceError('FORBIDDEN', { message: 'This project has no open sign-up.', details: { policy } });
    // Before it is known whether the address is taken, so that the answer takes as long either way.
    const hash = await hashPassword(services, password);
    const created = await authRow<Created>(services, target, insertStatement, [email, hash, is_admin]);
    if (created === undefined) throw new ServiceError('EMAIL_ALREADY_REGISTERED');
    return { ...created, created_at: momentOf(created.created_at) };
  },
  wire: z.object({ id: z.uuid(), email: z.string(), created_at: z.iso.datetime(), is_admin: z.boolean() }),
});

const insertStatement: AuthStatement = {
  name: 'user_signup',
  text: `insert into auth.users (email, password_hash, is_admin) values ($1, $2, $3::boolean)
    on conflict (email) do nothing
    returning json_build_object('id', id, 'email', email, 'created_at', created_at, 'is_admin', is_admin)`,
};
