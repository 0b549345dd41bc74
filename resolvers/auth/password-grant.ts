import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Answer, jsonList, jsonObject, jsonOne } from '../../db/json.ts';
import { identities, named, users } from '../../db/project-schema/auth.ts';
import { computed, from } from '../../db/sql.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { hashAnew, isPassword } from './passwords.ts';
import type { SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';
import { countForAddress, countOfNetwork, noteSignIn } from './throttle.ts';

const u = named(users, 'u');
const i = named(identities, 'i');

const knownJson = jsonObject({
  id: u.id,
  password_hash: u.passwordHash,
  providers: jsonList(i.provider, sql`from ${from(i)} where ${i.userId} = ${u.id}`, sql`${i.createdAt}`),
});

type Known = Answer<typeof knownJson>;

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
    const found = await authRow(services, target, findStatement.with({ email }));
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

/** A user who only signs in at a provider is told which, as the specification wants it. */
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

const cost = sql`substr(${users.passwordHash}, 5, 2)`;

const findStatement = authStatement(
  'user_by_email',
  {
    params: { email: u.email },
    answer: jsonObject({
      known: jsonOne(knownJson, sql`from ${from(u)} where ${u.email} = given.email`),
      /** Highest cost among the bcrypt hashes that users of the project still have. */
      bcrypt_cost: computed<number | null>(
        'integer',
        sql`(select ${cost}::int from ${users} where ${users.passwordHash} like '$2%' order by ${cost} desc limit 1)`,
      ),
    }),
  },
  // The index of bcrypt hashes holds those that are left alone: the highest cost is its last entry.
  ({ email }, answer) => sql`select ${answer} from (select ${email}::text as email) given`,
);
