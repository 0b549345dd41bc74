import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../core/keys.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { asKept, jsonObject, jsonOne, toJson } from '../../db/json.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { identities, named, passkeys, sessions, settings, users } from '../../db/project-schema/auth.ts';
import { computed, from, insertSelect, namesOf, type ParametersOf, pick, setOf, typed } from '../../db/sql.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import type { Services } from '../../kernel/run/context.ts';
import { lockAddressStatement } from './lock-user.ts';
import { isStillAllowed } from './redirects.ts';
import { settingsJson } from './rows.ts';
import { requireDomain, type SessionAnswer } from './session-answer.ts';
import { startSession } from './sessions.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';
import { type ReturnedFlow, takeFlow } from './social-flows.ts';
import { stands } from './stands.ts';
import { endedWithoutPasskey } from './unproven.ts';

/**
 * Signs in with the code of a social sign-in. A wrong verifier uses the code up.
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

/** The address that the provider has confirmed, normalised as users have it. */
const provenAddress = ({ email, emailVerified }: Person): string | undefined =>
  emailVerified ? emailAddress.safeParse(email).data : undefined;

/** What a provider says about a user. */
async function look(services: Services, target: ProjectTarget, flow: ReturnedFlow) {
  const { provider, person, user_id, session_id } = flow;
  const email = provenAddress(person) ?? null;
  const question = { provider, subject: person.subject, email, user: user_id, session: session_id };
  return (await authRow(services, target, lookStatement.with(question)))!;
}

/** The user that a social account signs in; a new one for a new account. @returns its id */
async function admit(services: Services, target: ProjectTarget, flow: ReturnedFlow): Promise<string> {
  const { provider, person } = flow;
  // Of two first sign-ins at once, the second finds the user or is refused with the reason.
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
    const { name, picture, subject } = person;
    const newcomer = { email, displayName: name, avatarUrl: picture, provider, subject };
    if (email_awaited) {
      const came = await unlessTaken(come(services, target, newcomer));
      if (came !== undefined) return came;
      continue;
    }
    if (email_taken) throw new ServiceError('account_exists_requires_link', { details: { provider } });
    if (settings.public_signup !== 'open')
      throw new ServiceError('FORBIDDEN', {
        message: 'This project takes invited users only.',
        details: { policy: settings.public_signup },
      });
    const made = await unlessTaken(authRow(services, target, makeStatement.with(newcomer)));
    if (made !== undefined) return made;
  }
  throw new ServiceError('UPSTREAM_UNAVAILABLE', { retryAfter: 1 });
}

/** The user that the service key made for an address comes, by an account that shows the address to be theirs. */
async function come(
  services: Services,
  target: ProjectTarget,
  newcomer: ParametersOf<typeof arriving>,
): Promise<string | undefined> {
  const [, [came]] = await authBatch(services, target, [
    lockAddressStatement.with({ email: newcomer.email }),
    comeStatement.with(newcomer),
  ]);
  if (came !== undefined) forgetAccountStatuses(services, target);
  return came;
}

/** Links a social account to the user who began. @returns the user's id */
async function link(services: Services, target: ProjectTarget, flow: ReturnedFlow): Promise<string> {
  const { provider, person, session_id } = flow;
  const { settings, linking } = await look(services, target, flow);
  // Signed out meanwhile: another person may have gone on with the flow.
  if (linking === null) throw sessionOver();
  requireDomain(settings, linking, ['oauth']);
  const shown = emailAddress.safeParse(person.email).data ?? null;
  const account = { provider, subject: person.subject, user: linking.id, email: shown, session: session_id };
  const linked = await authRow(services, target, linkStatement.with(account));
  if (linked !== undefined) return linking.id;
  const { owner } = await look(services, target, flow);
  if (owner === null) throw sessionOver();
  if (owner.id !== linking.id) throw new ServiceError('SVC_AUTH_IDENTITY_LINK_CONFLICT', { details: { provider } });
  return linking.id;
}

const sessionOver = () => invalid('The session that began this is over.');

/** Undefined when another request came first: the whole statement is undone, so that no user is left without an identity. */
async function unlessTaken<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

const u = named(users, 'u');
const i = named(identities, 'i');
const s = named(sessions, 's');
const k = named(passkeys, 'k');

/** A user whose address was never proven by a sign-in. One with a password is never merged. */
const isAwaited = sql`${u.passwordHash} is null and (${u.emailVerifiedAt} is null or ${u.lastSignInAt} is null)`;

const personJson = jsonObject(asKept(pick(u, 'id', 'email')));

const lookStatement = authStatement(
  'social_look',
  {
    params: {
      provider: i.provider,
      subject: i.providerSub,
      email: typed<string | null>('text'),
      user: typed<string | null>('uuid'),
      session: typed<string | null>('uuid'),
    },
    answer: jsonObject({
      settings: settingsJson,
      /** Whom the social account signs in. */
      owner: jsonOne(
        personJson,
        sql`from ${from(i)} join ${from(u)} on ${u.id} = ${i.userId}
          where ${i.provider} = given.provider and ${i.providerSub} = given.subject`,
      ),
      /** Who links it. */
      linking: jsonOne(
        personJson,
        sql`from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}
          where ${u.id} = given.user_id and ${s.id} = given.session_id and ${stands(s)}`,
      ),
      email_taken: computed<boolean>('boolean', sql`exists (select from ${from(u)} where ${u.email} = given.email)`),
      /** The address belongs to a user without a password who was created for it and has not signed in yet. */
      email_awaited: computed<boolean>(
        'boolean',
        sql`exists (select from ${from(u)} where ${u.email} = given.email and ${isAwaited})`,
      ),
    }),
  },
  ({ provider, subject, email, user, session }, answer) => sql`select ${answer}
    from (select ${provider}::text as provider, ${subject}::text as subject, ${email}::text as email,
      ${user}::uuid as user_id, ${session}::uuid as session_id) given`,
);

const arriving = {
  ...pick(users, 'email', 'displayName', 'avatarUrl'),
  provider: identities.provider,
  subject: identities.providerSub,
};

/** The project takes users of the domain of an address. */
const admitsDomain = (email: SQL): SQL =>
  sql`(${settings.allowedEmailDomains} = '{}' or split_part(${email}, '@', 2) = any (${settings.allowedEmailDomains}))`;

const comeStatement = authStatement(
  'social_come',
  { params: arriving, answer: toJson(identities.userId) },
  // As with a first sign-in by mail: what was there before the address was proven would sign a stranger in.
  ({ email, displayName, avatarUrl, provider, subject }, answer) => sql`with known as (
      select ${u.id}, ${u.emailVerifiedAt} is null as first from ${from(u)}, ${settings}
      where ${u.email} = ${email} and ${isAwaited} and ${admitsDomain(email)}
    ), dropped as (
      delete from ${from(k)} using known where ${k.userId} = known.id and known.first
    ), unlinked as (
      delete from ${from(i)} using known where ${i.userId} = known.id and known.first
        and (${i.provider}, ${i.providerSub}) <> (${provider}, ${subject})
    ), ended as (
      update ${from(s)} ${setOf(sessions, endedWithoutPasskey(s))} from known where ${s.userId} = known.id and known.first
    ), verified as (
      update ${from(u)} ${setOf(users, {
        emailVerifiedAt: sql`coalesce(${u.emailVerifiedAt}, now())`,
        displayName: sql`coalesce(${u.displayName}, ${displayName})`,
        avatarUrl: sql`coalesce(${u.avatarUrl}, ${avatarUrl})`,
      })}
      from known where ${u.id} = known.id returning ${u.id}
    )
    ${insertSelect(
      identities,
      { provider, providerSub: subject, userId: sql`verified.id`, providerEmail: email },
      sql`from verified`,
    )}
    returning ${answer}`,
);

const makeStatement = authStatement(
  'social_make',
  { params: arriving, answer: toJson(identities.userId) },
  ({ email, displayName, avatarUrl, provider, subject }, answer) => sql`with made as (
      ${insertSelect(
        users,
        { email, emailVerifiedAt: sql`now()`, displayName, avatarUrl },
        sql`from ${settings} where ${settings.publicSignup} = 'open' and ${admitsDomain(email)}`,
      )}
      returning ${users.id}
    )
    ${insertSelect(
      identities,
      { provider, providerSub: subject, userId: sql`made.id`, providerEmail: email },
      sql`from made`,
    )}
    returning ${answer}`,
);

const linkStatement = authStatement(
  'social_link',
  {
    params: {
      provider: identities.provider,
      subject: identities.providerSub,
      user: s.userId,
      email: identities.providerEmail,
      session: typed<string | null>('uuid'),
    },
    answer: toJson(identities.userId),
  },
  ({ provider, subject, user, email, session }, answer) => sql`${insertSelect(
    identities,
    { provider, providerSub: subject, userId: sql`${s.userId}`, providerEmail: email },
    sql`from ${from(s)} where ${s.id} = ${session} and ${s.userId} = ${user} and ${s.revokedAt} is null`,
  )}
    on conflict (${namesOf(identities.provider, identities.providerSub)}) do nothing
    returning ${answer}`,
);
