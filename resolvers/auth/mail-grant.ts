import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { identities, named, passkeys, sessions, settings, users } from '../../db/project-schema/auth.ts';
import { computed, from, insertSelect, nameOf, setOf, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { type Challenge, latestChallenge, useCode, useLink } from './challenges.ts';
import { lockAddressStatement } from './lock-user.ts';
import { hashPassword } from './passwords.ts';
import { isStillAllowed } from './redirects.ts';
import type { SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authStatement } from './shared/auth-rows.ts';
import type { ProjectCaller } from './shared/authenticate-project.ts';
import { countOfNetwork, noteSignIn, uncount } from './throttle.ts';
import { endedWithoutPasskey } from './unproven.ts';

/** The token of a link: opaque, and kept as a hash alone. */
export const newLinkToken = (): string => `svcl_${randomBytes(32).toString('base64url')}`;

/** Six digits. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

export const linkHashOf = (token: string): string => sha256Hex(token);

/** Keyed, since a million codes are soon tried against a plain hash. */
export const codeHashOf = ({ keys }: Pick<Services, 'keys'>, challengeId: string, code: string): string =>
  keys.mac('one-time-codes', `${challengeId.toLowerCase()}:${code}`).toString('hex');

/** The same by every root, since a code outlives a rotation. */
export const codeHashesOf = ({ keys }: Pick<Services, 'keys'>, challengeId: string, code: string): readonly string[] =>
  keys.macs('one-time-codes', `${challengeId.toLowerCase()}:${code}`).map((mac) => mac.toString('hex'));

/** Signs in with the token of a link. @throws INVALID_AUTH, FORBIDDEN, account_exists_requires_link */
export async function linkGrant(ctx: Asking, token: string): Promise<SessionAnswer> {
  const challenge = await useLink(ctx.services, ctx.target, linkHashOf(token));
  if (challenge === undefined) throw invalid('link', 'The link is not valid any more.');
  const { redirect_url } = challenge;
  if (redirect_url !== null && !(await isStillAllowed(ctx.services, ctx.target, redirect_url)))
    throw invalid('redirect', 'The project does not allow the URL that the link led to any more.');
  return finish(ctx, challenge, 'magic_link');
}

/** Signs in with a code. @throws INVALID_AUTH, FORBIDDEN, account_exists_requires_link */
export async function codeGrant(
  ctx: Asking,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
): Promise<SessionAnswer> {
  const { services, target } = ctx;
  const challenge = await useCode(services, target, challengeId, codeHashesOf(services, challengeId, code));
  if (challenge === undefined) throw invalid('code', 'The code is wrong, or not valid any more.');
  return finish(ctx, challenge, 'email_code');
}

/** Uses up the latest code that was mailed to an address, for clients that kept no challenge. @throws INVALID_AUTH */
export async function answerLatestCode(
  services: Services,
  target: ProjectTarget,
  { email, code }: { readonly email: string; readonly code: string },
): Promise<Challenge> {
  // The same statements for an address that no mail went to.
  const id = (await latestChallenge(services, target, email)) ?? randomUUID();
  const challenge = await useCode(services, target, id, codeHashesOf(services, id, code));
  if (challenge === undefined) throw invalid('code', 'The code is wrong, or not valid any more.');
  return challenge;
}

/**
 * Signs in with the latest code that was mailed to an address. Anybody may know that, so wrong codes are counted by
 * network too: who tries all the time would burn each challenge before its user answers it.
 *
 * @throws INVALID_AUTH, FORBIDDEN, RATE_LIMITED
 */
export async function latestCodeGrant(
  ctx: Asking,
  given: { readonly email: string; readonly code: string },
): Promise<SessionAnswer> {
  const counted = await countOfNetwork(ctx, signInThrottles.codeOfNetwork, 'code_of_address');
  const challenge = await answerLatestCode(ctx.services, ctx.target, given);
  if (counted !== undefined) await uncount(ctx, counted);
  return finish(ctx, challenge, 'email_code');
}

const invalid = (reason: string, message: string) =>
  new ServiceError('INVALID_AUTH', { message, details: { reason }, nextActions: [] });

type Asking = Context & ProjectCaller;

/** A user whom the service key invites by an address is the owner of the address, not an earlier sign-up with it. */
const isTrustedInvite = ({ intent, state_source }: Challenge) => intent === 'invite' && state_source === 'service_key';

/** Whether a challenge ends what was set up under its address before that was shown to be anybody's. */
const takesOver = (challenge: Challenge) => challenge.intent === 'recovery' || isTrustedInvite(challenge);

type Admitted = { readonly outcome: 'admitted'; readonly id: string };
type Refused = { readonly outcome: 'requires_link' | 'closed'; readonly id?: undefined };

/** What a used challenge opens. It has proven that the address is the caller's. */
async function finish(ctx: Asking, challenge: Challenge, method: 'magic_link' | 'email_code'): Promise<SessionAnswer> {
  const { services, target } = ctx;
  const { intent } = challenge;
  // A random password, for an owner who takes over an account that a stranger may have set up in their name.
  const nobodys = takesOver(challenge)
    ? await hashPassword(services, target, randomBytes(24).toString('base64url'))
    : null;
  // A race of two first sign-ins of one address: who loses finds the user there.
  const admitted =
    (await admit(services, target, challenge, nobodys)) ?? (await admit(services, target, challenge, nobodys));
  if (admitted?.outcome === 'requires_link') throw new ServiceError('account_exists_requires_link');
  if (admitted?.outcome !== 'admitted')
    throw new ServiceError('FORBIDDEN', { message: 'This project takes invited users only.' });
  const answer = await startSession(services, target, { userId: admitted.id, amr: [method] });
  // The link is used up: what only spares the user a wait is no reason to lose the session.
  await noteSignIn(ctx, challenge.email).catch((error: unknown) =>
    services.log.warn({ err: error }, 'The network of a sign-in was not noted.'),
  );
  return {
    ...answer,
    magic_link: {
      intent,
      client_state: challenge.client_state,
      state_source: challenge.state_source,
      state_trusted: challenge.state_source === 'service_key',
      delivery: challenge.delivery,
      verified_with: method === 'magic_link' ? 'link' : 'email_code',
    },
  };
}

async function admit(
  services: Services,
  target: ProjectTarget,
  challenge: Challenge,
  nobodys: string | null,
): Promise<Admitted | Refused | undefined> {
  const { email, creates_user } = challenge;
  const [, [admitted]] = await authBatch(services, target, [
    lockAddressStatement.with({ email }),
    admitStatement.with({
      email,
      takesOver: takesOver(challenge),
      createsUser: creates_user,
      nobodys,
      isTrusted: isTrustedInvite(challenge),
    }),
  ]);
  if (admitted?.outcome === 'admitted') forgetAccountStatuses(services, target);
  return admitted;
}

const k = named(passkeys, 'k');
const i = named(identities, 'i');
const s = named(sessions, 's');
const u = named(users, 'u');

const admitStatement = authStatement(
  'mail_admit',
  // A password that was set by whoever knew the address, unproven, is not merged with a sign-in that proves it; a
  // recovery or an invitation puts an end to it, and to what it signed in. Nor are passkeys and social accounts of before merged, which
  // would go on signing a stranger in. Whom the service key invites comes in whatever the policy for strangers is.
  {
    params: {
      email: users.email,
      takesOver: typed<boolean>('boolean'),
      createsUser: typed<boolean>('boolean'),
      nobodys: users.passwordHash,
      isTrusted: typed<boolean>('boolean'),
    },
    answer: computed<Admitted | Refused>('json', sql`outcome`),
  },
  ({ email, takesOver, createsUser, nobodys, isTrusted }, answer) => {
    const takesStrangers = sql`(${createsUser}::boolean and (${settings.publicSignup} = 'open' or ${isTrusted}::boolean))`;
    return sql`with known as (
      select id, first, first and has_password as taken, first and has_password and not ${takesOver}::boolean as unproven
      from (select ${users.id}, ${users.emailVerifiedAt} is null as first, ${users.passwordHash} is not null as has_password
        from ${users} where ${users.email} = ${email}) found
    ), dropped as (
      delete from ${from(k)} using known where ${k.userId} = known.id and known.first and not known.unproven
      returning ${k.id}
    ), unlinked as (
      delete from ${from(i)} using known where ${i.userId} = known.id and known.first and not known.unproven
    ), ended as (
      update ${from(s)} ${setOf(sessions, endedWithoutPasskey(s))}
      where ${s.passkeyId} in (select id from dropped)
        or (${s.revokedAt} is null and ${s.userId} in (select id from known where taken and not unproven))
    ), verified as (
      update ${from(u)} ${setOf(users, {
        emailVerifiedAt: sql`coalesce(${u.emailVerifiedAt}, now())`,
        passwordHash: sql`case when known.taken then ${nobodys} else ${u.passwordHash} end`,
      })}
      from known where ${u.id} = known.id and not known.unproven returning ${u.id}
    ), made as (
      ${insertSelect(
        users,
        { email, emailVerifiedAt: sql`now()` },
        sql`from ${settings} where ${takesStrangers} and not exists (select from known)`,
      )}
      on conflict (${nameOf(users.email)}) do nothing returning ${users.id}
    )
    select ${answer} from (
      select json_build_object('outcome', 'admitted', 'id', id) as outcome
      from (select id from verified union all select id from made) a
      union all
      select json_build_object('outcome', 'requires_link') from known where unproven
      union all
      select json_build_object('outcome', 'closed') from ${settings}
        where not ${takesStrangers} and not exists (select from known)
    ) outcomes`;
  },
);
