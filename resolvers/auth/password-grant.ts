import { ServiceError } from '../../core/errors.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { hashAnew, isPassword } from './passwords.ts';
import type { SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';
import { countForAddress, countOfNetwork, noteSignIn } from './throttle.ts';

interface Known {
  readonly id: string;
  readonly password_hash: string | null;
  readonly providers: readonly string[];
}

interface Found {
  readonly known: Known | null;
  /** Highest cost among the bcrypt hashes that users of the project still have. */
  readonly bcrypt_cost: number | null;
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
  for (;;) {
    const found = await authRow<Found>(services, target, findStatement, [email]);
    const { known, bcrypt_cost: bcryptCost } = found!;
    const hash = known?.password_hash ?? null;
    const right = await isPassword(services, target, { hash, bcryptCost }, password);
    if (known === null || hash === null || !right) throw refusalOf(known);
    await noteSignIn(ctx, email, counted);
    // No transaction waits for a password: it is hashed before the one that stores it.
    const newPasswordHash = await hashAnew(services, target, hash, password);
    try {
      return await startSession(services, target, {
        userId: known.id,
        amr: ['password'],
        passwordHash: hash,
        newPasswordHash,
      });
    } catch (error) {
      // Another sign-in may have put the new hash there first: then the password is tried against that one.
      const isReplaced =
        newPasswordHash !== undefined && error instanceof ServiceError && error.code === 'INVALID_AUTH';
      if (!isReplaced) throw error;
    }
  }
}

/** Who only ever signs in elsewhere is told where, as the specification wants it. */
function refusalOf(known: Known | null): ServiceError {
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
  // The index of bcrypt hashes holds those that are left alone: the highest cost is its last entry.
  text: `select json_build_object('known', (
      select json_build_object('id', u.id, 'password_hash', u.password_hash,
        'providers', coalesce((select jsonb_agg(i.provider order by i.created_at) from auth.identities i where i.user_id = u.id), '[]'))
      from auth.users u where u.email = $1
    ), 'bcrypt_cost', (
      select substr(password_hash, 5, 2)::int from auth.users where password_hash like '$2%'
      order by substr(password_hash, 5, 2) desc limit 1
    ))`,
};
