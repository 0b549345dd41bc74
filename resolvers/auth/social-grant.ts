import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../core/keys.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import type { Services } from '../../kernel/run/context.ts';
import { lockAddressStatement } from './lock-user.ts';
import { isStillAllowed } from './redirects.ts';
import { type AuthSettings, settingsJson } from './rows.ts';
import { requireDomain, type SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { type AuthStatement, type AuthValue, authBatch, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';
import { type ReturnedFlow, takeFlow } from './social-flows.ts';

/**
 * Signs in with the code of a social sign-in. Whoever shows a code with a wrong verifier has used it up.
 *
 * @throws INVALID_AUTH, FORBIDDEN, account_exists_requires_link, SVC_AUTH_DOMAIN_NOT_ALLOWED,
 * SVC_AUTH_IDENTITY_LINK_CONFLICT
 */
export async function socialGrant(
  services: Services,
  target: ProjectTarget,
  { code, codeVerifier }: { readonly code: string; readonly codeVerifier: string },
): Promise<SessionAnswer> {
  const flow = await takeFlow(services, target, sha256Hex(code));
  if (flow === undefined) throw invalid('The code is not valid any more.');
  if (!(await isStillAllowed(services, target, flow.redirect_url)))
    throw invalid('The project does not allow the URL that the sign-in went back to any more.');
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  if (!sameSecret(challenge, flow.code_challenge)) throw invalid('The verifier is not the one of the start.');
  const userId = flow.user_id === null ? await admit(services, target, flow) : await link(services, target, flow);
  return startSession(services, target, {
    userId,
    amr: ['oauth'],
    provider: flow.provider,
    subject: flow.person.subject,
  });
}

const invalid = (message: string) => new ServiceError('INVALID_AUTH', { message, nextActions: [] });

/** What is known of somebody who comes from a provider. */
interface Known {
  readonly settings: AuthSettings;
  /** Whom the social account signs in. */
  readonly owner: { readonly id: string; readonly email: string } | null;
  /** Who links it. */
  readonly linking: { readonly id: string; readonly email: string } | null;
  readonly email_taken: boolean;
  /** The address is of a user without a password who was made for it, and who has yet to come. */
  readonly email_awaited: boolean;
}

/** The address that somebody has shown to be theirs, as users are known by it. */
const provenAddress = ({ email, emailVerified }: Person): string | undefined =>
  emailVerified ? emailAddress.safeParse(email).data : undefined;

async function look(services: Services, target: ProjectTarget, flow: ReturnedFlow): Promise<Known> {
  const { provider, person, user_id, session_id } = flow;
  const email = provenAddress(person) ?? null;
  const values = [provider, person.subject, email, user_id, session_id];
  return (await authRow<Known>(services, target, lookStatement, values))!;
}

/** The user that a social account signs in; a new one for a new account. @returns its id */
async function admit(services: Services, target: ProjectTarget, flow: ReturnedFlow): Promise<string> {
  const { provider, person } = flow;
  // A race of two first sign-ins: who loses finds the user there, or is told why not.
  for (let tries = 0; tries < 3; tries++) {
    const { settings, owner, email_taken, email_awaited } = await look(services, target, flow);
    if (owner !== null) {
      requireDomain(settings, owner, ['oauth']);
      return owner.id;
    }
    const email = provenAddress(person);
    if (email === undefined)
      throw new ServiceError('FORBIDDEN', {
        message: `The address at ${provider} is not verified there.`,
        details: { reason: 'email_unverified', provider },
      });
    requireDomain(settings, { email }, ['oauth']);
    const values = [email, person.name, person.picture, provider, person.subject];
    if (email_awaited) {
      const came = await unlessTaken(come(services, target, values));
      if (came !== undefined) return came;
      continue;
    }
    if (email_taken) throw new ServiceError('account_exists_requires_link', { details: { provider } });
    if (settings.public_signup !== 'open')
      throw new ServiceError('FORBIDDEN', {
        message: 'This project takes invited users only.',
        details: { policy: settings.public_signup },
      });
    const made = await unlessTaken(authRow<string>(services, target, makeStatement, values));
    if (made !== undefined) return made;
  }
  throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1 });
}

/** The user that the service key made for an address comes, by an account that shows the address to be theirs. */
async function come(
  services: Services,
  target: ProjectTarget,
  values: readonly AuthValue[],
): Promise<string | undefined> {
  const [, [came]] = (await authBatch(services, target, [
    [lockAddressStatement, [values[0]!]],
    [comeStatement, values],
  ])) as [unknown, [string?]];
  if (came !== undefined) forgetStandings(services, target);
  return came;
}

/** Links a social account to the user who began. @returns the user's id */
async function link(services: Services, target: ProjectTarget, flow: ReturnedFlow): Promise<string> {
  const { provider, person, session_id } = flow;
  const { settings, linking } = await look(services, target, flow);
  // Signed out meanwhile: whoever goes on may not be who began.
  if (linking === null) throw sessionOver();
  requireDomain(settings, linking, ['oauth']);
  const shown = emailAddress.safeParse(person.email).data ?? null;
  const values = [provider, person.subject, linking.id, shown, session_id];
  const linked = await authRow<string>(services, target, linkStatement, values);
  if (linked !== undefined) return linking.id;
  const { owner } = await look(services, target, flow);
  if (owner === null) throw sessionOver();
  if (owner.id !== linking.id) throw new ServiceError('SVC_AUTH_IDENTITY_LINK_CONFLICT', { details: { provider } });
  return linking.id;
}

const sessionOver = () => invalid('The session that began this is over.');

/** Undefined when somebody else came first: the statement is undone as a whole, so that no user is left without it. */
async function unlessTaken<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/** A user whom nobody has signed in as with proof of the address: one with a password is never merged. */
const awaited = (user: string) =>
  `${user}.password_hash is null and (${user}.email_verified_at is null or ${user}.last_sign_in_at is null)`;

const lookStatement: AuthStatement = {
  name: 'social_look',
  text: `select json_build_object('settings', ${settingsJson},
      'owner', (select json_build_object('id', u.id, 'email', u.email) from auth.identities i
        join auth.users u on u.id = i.user_id where i.provider = $1 and i.provider_sub = $2),
      'linking', (select json_build_object('id', u.id, 'email', u.email) from auth.sessions s
        join auth.users u on u.id = s.user_id where u.id = $4::uuid and s.id = $5::uuid and s.revoked_at is null
          and s.expires_at > now() and s.hard_expires_at > now()),
      'email_taken', exists (select from auth.users where email = $3),
      'email_awaited', exists (select from auth.users u where u.email = $3 and ${awaited('u')}))`,
};

const comeStatement: AuthStatement = {
  name: 'social_come',
  // As with a first sign-in by mail: what was there before the address was proven would sign a stranger in.
  text: `with known as (
      select u.id, u.email_verified_at is null as first from auth.users u, auth.settings s
      where u.email = $1 and ${awaited('u')}
        and (s.allowed_email_domains = '{}' or split_part($1, '@', 2) = any (s.allowed_email_domains))
    ), dropped as (
      delete from auth.passkeys k using known where k.user_id = known.id and known.first
    ), unlinked as (
      delete from auth.identities i using known where i.user_id = known.id and known.first
        and (i.provider, i.provider_sub) <> ($4, $5)
    ), ended as (
      update auth.sessions s set aal = 'aal1', passkey_id = null, passkey_time = null,
        revoked_at = coalesce(s.revoked_at, now())
      from known where s.user_id = known.id and known.first
    ), verified as (
      update auth.users u set email_verified_at = coalesce(u.email_verified_at, now()),
        display_name = coalesce(u.display_name, $2), avatar_url = coalesce(u.avatar_url, $3)
      from known where u.id = known.id returning u.id
    )
    insert into auth.identities (provider, provider_sub, user_id, provider_email) select $4, $5, id, $1 from verified
    returning to_json(user_id)`,
};

const makeStatement: AuthStatement = {
  name: 'social_make',
  text: `with made as (
      insert into auth.users (email, email_verified_at, display_name, avatar_url)
      select $1, now(), $2, $3 from auth.settings where public_signup = 'open'
        and (allowed_email_domains = '{}' or split_part($1, '@', 2) = any (allowed_email_domains))
      returning id
    )
    insert into auth.identities (provider, provider_sub, user_id, provider_email) select $4, $5, id, $1 from made
    returning to_json(user_id)`,
};

const linkStatement: AuthStatement = {
  name: 'social_link',
  text: `insert into auth.identities (provider, provider_sub, user_id, provider_email)
    select $1, $2, s.user_id, $4 from auth.sessions s
    where s.id = $5::uuid and s.user_id = $3::uuid and s.revoked_at is null
    on conflict (provider, provider_sub) do nothing
    returning to_json(user_id)`,
};
