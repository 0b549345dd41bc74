import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { signInThrottles } from '../limits.ts';
import type { ProjectCaller } from '../project-door.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { isPassword } from './passwords.ts';
import type { SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { countForAddress, countOfNetwork, noteSignIn } from './throttle.ts';

interface Known {
  readonly id: string;
  readonly password_hash: string | null;
  readonly providers: readonly string[];
}

/**
 * Signs in with a password. An unknown address, a wrong password and a user without one take the same time.
 *
 * @throws INVALID_AUTH, RATE_LIMITED
 */
export async function passwordGrant(
  ctx: Context & ProjectCaller,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SessionAnswer> {
  const { services, target } = ctx;
  await countOfNetwork(ctx, signInThrottles.passwordOfNetwork, 'passwords');
  const counted = await countForAddress(ctx, signInThrottles.password, 'password', email);
  const known = await authRow<Known>(services, target, findStatement, [email]);
  const right = await isPassword(services, target, known?.password_hash ?? null, password);
  if (known === undefined || !right) throw refusalOf(known);
  await noteSignIn(ctx, email, counted);
  return startSession(services, target, {
    userId: known.id,
    amr: ['password'],
    passwordHash: known.password_hash!,
  });
}

/** Who only ever signs in elsewhere is told where, as the specification wants it. */
function refusalOf(known: Known | undefined): ServiceError {
  const [provider] = known?.password_hash === null ? known.providers : [];
  if (provider === undefined)
    return new ServiceError('INVALID_AUTH', {
      message: 'The address or the password is wrong.',
      details: { reason: 'password' },
      nextActions: [],
    });
  return new ServiceError('INVALID_AUTH', {
    message: `This user signs in with ${provider}.`,
    details: { reason: 'password', provider },
    nextActions: [],
  });
}

const findStatement: AuthStatement = {
  name: 'user_by_email',
  text: `select json_build_object('id', u.id, 'password_hash', u.password_hash,
      'providers', coalesce((select jsonb_agg(i.provider order by i.created_at) from auth.identities i where i.user_id = u.id), '[]'))
    from auth.users u where u.email = $1`,
};
