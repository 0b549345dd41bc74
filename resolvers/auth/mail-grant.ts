import { randomBytes, randomInt } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { Services } from '../context.ts';
import type { ProjectTarget } from '../project-target.ts';
import { type AuthStatement, authBatch } from './auth-rows.ts';
import { type Challenge, useCode, useLink } from './challenges.ts';
import type { SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { forgetStandings } from './standing.ts';

/** The token of a link: opaque, and kept as a hash alone. */
export const newLinkToken = (): string => `svcl_${randomBytes(32).toString('base64url')}`;

/** Six digits. */
export const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

export const linkHashOf = (token: string): string => sha256Hex(token);

/** Keyed, since a million codes are soon tried against a plain hash. */
export const codeHashOf = ({ keys }: Pick<Services, 'keys'>, challengeId: string, code: string): string =>
  keys.mac('one-time-codes', `${challengeId.toLowerCase()}:${code}`).toString('hex');

/** Signs in with the token of a link. @throws INVALID_AUTH, FORBIDDEN, account_exists_requires_link */
export async function linkGrant(services: Services, target: ProjectTarget, token: string): Promise<SessionAnswer> {
  const challenge = await useLink(services, target, linkHashOf(token));
  if (challenge === undefined) throw invalid('The link is not valid any more.');
  return finish(services, target, challenge, 'magic_link');
}

/** Signs in with a code. @throws INVALID_AUTH, FORBIDDEN, account_exists_requires_link */
export async function codeGrant(
  services: Services,
  target: ProjectTarget,
  { challengeId, code }: { readonly challengeId: string; readonly code: string },
): Promise<SessionAnswer> {
  const challenge = await useCode(services, target, challengeId, codeHashOf(services, challengeId, code));
  if (challenge === undefined) throw invalid('The code is wrong, or not valid any more.');
  return finish(services, target, challenge, 'email_code');
}

const invalid = (message: string) => new ServiceError('INVALID_AUTH', { message, nextActions: [] });

type Admitted = { readonly outcome: 'admitted'; readonly id: string };
type Refused = { readonly outcome: 'requires_link' | 'closed'; readonly id?: undefined };

/** What a used challenge opens. Whoever comes here has shown that the address is theirs. */
async function finish(
  services: Services,
  target: ProjectTarget,
  challenge: Challenge,
  method: 'magic_link' | 'email_code',
): Promise<SessionAnswer> {
  const { email, intent } = challenge;
  // A race of two first sign-ins of one address: who loses finds the user there.
  const admitted = (await admit(services, target, email, intent)) ?? (await admit(services, target, email, intent));
  if (admitted?.outcome === 'requires_link') throw new ServiceError('account_exists_requires_link');
  if (admitted?.outcome !== 'admitted')
    throw new ServiceError('FORBIDDEN', { message: 'This project takes invited users only.' });
  const answer = await startSession(services, target, { userId: admitted.id, amr: [method] });
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
  email: string,
  intent: Challenge['intent'],
): Promise<Admitted | Refused | undefined> {
  const [, , [admitted]] = (await authBatch(services, target, [
    // In the order in which a sign-in with a passkey takes the same locks.
    [lockPasskeysStatement, [email]],
    [lockUserStatement, [email]],
    [admitStatement, [email, intent]],
  ])) as [unknown, unknown, [(Admitted | Refused)?]];
  if (admitted?.outcome === 'admitted') forgetStandings(services);
  return admitted;
}

const lockPasskeysStatement: AuthStatement = {
  name: 'mail_lock_passkeys',
  text: `select to_json(k.id) from auth.passkeys k join auth.users u on u.id = k.user_id
    where u.email = $1 and u.email_verified_at is null order by k.id for update of k`,
};

const lockUserStatement: AuthStatement = {
  name: 'mail_lock_user',
  text: 'select to_json(id) from auth.users where email = $1 for no key update',
};

const admitStatement: AuthStatement = {
  name: 'mail_admit',
  // A password that was set by whoever knew the address, unproven, is not merged with a sign-in that proves it; nor are
  // passkeys of before, which would go on signing a stranger in.
  text: `with known as (
      select id, password_hash is not null and email_verified_at is null and $2 <> 'recovery' as unproven,
        email_verified_at is null as first
      from auth.users where email = $1
    ), dropped as (
      delete from auth.passkeys k using known where k.user_id = known.id and known.first and not known.unproven
      returning k.id
    ), ended as (
      update auth.sessions s set aal = 'aal1', passkey_id = null, passkey_time = null, revoked_at = coalesce(s.revoked_at, now())
      from dropped where s.passkey_id = dropped.id
    ), verified as (
      update auth.users set email_verified_at = coalesce(email_verified_at, now())
      where id in (select id from known where not unproven) returning id
    ), made as (
      insert into auth.users (email, email_verified_at)
      select $1, now() from auth.settings where public_signup = 'open' and not exists (select from known)
      on conflict (email) do nothing returning id
    )
    select json_build_object('outcome', 'admitted', 'id', id) from (select id from verified union all select id from made) a
    union all
    select json_build_object('outcome', 'requires_link') from known where unproven
    union all
    select json_build_object('outcome', 'closed') from auth.settings
      where public_signup <> 'open' and not exists (select from known)`,
};
