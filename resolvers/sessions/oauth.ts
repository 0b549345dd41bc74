import { randomBytes, randomUUID } from 'node:crypto';
import { alias } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { returnPath } from '../../core/return-path.ts';
import type { Statement } from '../../db/pool.ts';
import { sessions } from '../../db/schema/identity.ts';
import { textOf } from '../../db/sql.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { ceremonyMinutes, ceremonyThrottles } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { refusalOfProvider } from '../auth/shared/social-refusal.ts';
import { newState, passageOf } from '../auth/shared/social-secrets.ts';
import { sessionStands } from '../identity/shared/session-stands.ts';
import { activateInvites, emailsOf, personOfEmail } from './people.ts';
import { inSession } from './session-scope.ts';
import { type MintedSession, mintSession, sessionBegun } from './shared/sessions.ts';
import { tellPerson } from './tell-person.ts';
import { countOfNetwork } from './tries.ts';

const providerName = z.string().max(64).describe('For example `google`.');

/** @throws PROVIDER_NOT_CONFIGURED */
function requireProvider({ services }: Context, id: string) {
  const provider = services.identityProviders.get(id);
  if (provider === undefined)
    throw new ServiceError('PROVIDER_NOT_CONFIGURED', { details: { provider: id.slice(0, 64) } });
  return provider;
}

export const callbackPath = (provider: string) => `/agent/v1/control-plane/oauth/${provider}/callback`;

/** The cookie of a browser that went to a provider. Lax, since it comes back from another site. */
export const oauthCookieName = '__Host-svc_cp_oauth';
export const oauthCookie = (value: string, seconds: number): string =>
  `${oauthCookieName}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Lax`;

interface Begun {
  readonly url: string;
  /** What the browser keeps in a cookie: the way back is good in this browser alone. */
  readonly browser: string;
}

async function prepareFlow(ctx: Context, provider: string) {
  const chosen = requireProvider(ctx, provider);
  await countOfNetwork(ctx, ceremonyThrottles.flowOfNetwork, 'oauth');
  // Projects have states of their own, which begin with their id.
  const state = newState(ctx.services, 'control-plane');
  const redirectUri = `${ctx.services.settings.publicBaseUrl ?? ctx.request.baseUrl}${callbackPath(provider)}`;
  const url = await chosen
    .authorizationUrl(passageOf(ctx.services, state, redirectUri), undefined)
    .catch((error: unknown) => {
      throw refusalOfProvider(ctx, chosen, error);
    });
  return { provider, state, redirectUri, url: url.href };
}

type Prepared = Awaited<ReturnType<typeof prepareFlow>>;

async function keepFlow(work: Work, flow: Prepared, returnTo: string | null, sessionId: string | null): Promise<Begun> {
  const browser = randomBytes(32).toString('base64url');
  const values = [sha256Hex(flow.state), flow.provider, flow.redirectUri, returnTo, sha256Hex(browser), sessionId];
  await work.rows(beginStatement, [...values, ceremonyMinutes.flow]);
  return { url: flow.url, browser };
}

const UrlWire = z.object({ auth_url: z.string().meta({ secret: true }) });

/** `GET /agent/v1/control-plane/oauth/:provider/start`. Contract 01, section 5.14. */
export const beginOauth = mutation({
  name: 'oauth.begin',
  summary: 'Begin a person’s sign-in with a social account.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    provider: providerName,
    return_to: z.string().max(2_048).optional().describe('Path of this server to go on to.'),
  }),
  prepare: (ctx, { provider }) => prepareFlow(ctx, provider),
  handler: (work, { return_to }, flow: Prepared): Promise<Begun> =>
    keepFlow(work, flow, return_to === undefined ? null : returnPath(return_to, '/'), null),
  audit: () => undefined,
  wire: UrlWire,
  toWire: ({ url }) => ({ auth_url: url }),
});

/** `POST /agent/v1/control-plane/oauth/:provider/link`. */
export const linkOauth = mutation({
  name: 'oauth.link',
  summary: 'Begin to link a social account to a person, which signs it in from then on.',
  credentialBound: true,
  access: inSession('control_plane'),
  stepUp: 'authenticator.register',
  input: z.object({ provider: providerName }),
  prepare: (ctx, { provider }) => prepareFlow(ctx, provider),
  handler: (work, _input, flow: Prepared): Promise<Begun> => keepFlow(work, flow, null, work.session.sessionId),
  audit: () => undefined,
  wire: UrlWire,
  toWire: ({ url, browser }, ctx) => {
    ctx.setHeader?.('set-cookie', oauthCookie(browser, ceremonyMinutes.flow * 60));
    return { auth_url: url };
  },
});

interface Returned {
  readonly provider: string;
  readonly person: Person;
  readonly returnTo: string | null;
  readonly sessionId: string | null;
}

interface Flow {
  readonly provider: string;
  readonly redirectUri: string;
  readonly returnTo: string | null;
  readonly sessionId: string | null;
}

export type OauthOutcome =
  | { readonly kind: 'signed_in'; readonly session: MintedSession; readonly returnTo: string | null }
  | { readonly kind: 'linked'; readonly principalId: string; readonly authenticatorId: string };

/** `GET /agent/v1/control-plane/oauth/:provider/callback`: in the browser that began it, once. */
export const finishOauth = mutation({
  name: 'oauth.finish',
  summary: 'End a sign-in with a social account, in the browser that began it.',
  credentialBound: true,
  access: anyone(),
  input: z.object({
    provider: providerName,
    query: z.record(z.string(), z.string().optional()).describe('What the provider sent along.'),
    browser: z.string().max(256).optional().meta({ secret: true }).describe('What the cookie of the browser holds.'),
  }),
  async prepare(ctx, { provider, query, browser }): Promise<Returned> {
    const chosen = requireProvider(ctx, provider);
    const { state = '' } = query;
    const values = [sha256Hex(state), provider, sha256Hex(browser ?? '')];
    const [flow] = await ctx.services.db.rows<Flow>(useStatement, values);
    if (flow === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'state_invalid' } });
    const passage = passageOf(ctx.services, state, flow.redirectUri);
    const person = await chosen.identify(passage, query).catch((error: unknown) => {
      throw refusalOfProvider(ctx, chosen, error);
    });
    return { provider, person, returnTo: flow.returnTo, sessionId: flow.sessionId };
  },
  async handler(work, _input, returned: Returned): Promise<OauthOutcome> {
    const subject = `${returned.provider}:${returned.person.subject}`;
    await work.rows(lockStatement, [`oauth:${subject}`]);
    const [known] = await work.rows<{ id: string; principalId: string; disabled: boolean }>(knownStatement, [subject]);
    if (returned.sessionId !== null) return link(work, returned.sessionId, subject, known);
    if (known?.disabled === true) throw new ServiceError('INVALID_AUTH', { details: { reason: 'disabled' } });
    const { principalId, id: authenticatorId } = known ?? (await newcomer(work, subject, returned.person));
    await activateInvites(work, principalId);
    const session = await mintSession(work, {
      kind: 'control_plane',
      principalId,
      email: (await emailsOf(work, principalId))[0] ?? null,
      provenance: 'oauth',
      proven: `oauth_${returned.provider}`,
      provenBy: [authenticatorId],
    });
    return { kind: 'signed_in', session, returnTo: returned.returnTo };
  },
  audit: (outcome) =>
    outcome.kind === 'signed_in'
      ? sessionBegun(outcome.session)
      : {
          action: 'authenticator.linked',
          object: { kind: 'authenticator', id: outcome.authenticatorId },
          details: { principal_id: outcome.principalId },
        },
  wire: z.object({ status: z.literal('ok') }),
  toWire: () => ({ status: 'ok' as const }),
});

async function link(
  work: Work,
  sessionId: string,
  subject: string,
  known: { readonly principalId: string } | undefined,
): Promise<OauthOutcome> {
  const [session] = await work.rows<{ principalId: string }>(sessionStatement, [sessionId]);
  if (session === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
  const { principalId } = session;
  if (known !== undefined && known.principalId !== principalId)
    throw new ServiceError('SVC_AUTH_IDENTITY_LINK_CONFLICT');
  const [kept] = await work.rows<{ id: string }>(keepStatement, [randomUUID(), principalId, subject]);
  await tellPerson(work, principalId, `A social account was added: ${subject.split(':')[0]}.`);
  return { kind: 'linked', principalId, authenticatorId: kept!.id };
}

/**
 * Somebody whom a provider vouches for and who was never here. An address that is somebody's here is not merged with:
 * its person signs in as before, and links the account.
 *
 * @throws account_exists_requires_link, INVALID_AUTH without an address that the provider has verified
 */
async function newcomer(work: Work, subject: string, person: Person): Promise<{ id: string; principalId: string }> {
  const email = emailAddress.safeParse(person.email);
  if (!email.success || !person.emailVerified)
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'email_unverified' } });
  const [taken] = await work.rows(takenStatement, [email.data]);
  if (taken !== undefined) throw new ServiceError('account_exists_requires_link');
  const { principalId } = await personOfEmail(work, email.data);
  const [kept] = await work.rows<{ id: string }>(keepStatement, [randomUUID(), principalId, subject]);
  return { id: kept!.id, principalId };
}

const beginStatement: Statement = {
  name: 'oauth.begin',
  text: `insert into oauth_flows
      (state_hash, provider, redirect_uri, return_to, browser_hash, session_id, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp() + make_interval(mins => $7))`,
};

const useStatement: Statement = {
  name: 'oauth.use',
  text: `update oauth_flows set used_at = clock_timestamp()
    where state_hash = $1 and provider = $2 and browser_hash = $3 and used_at is null and expires_at > clock_timestamp()
    returning provider, redirect_uri as "redirectUri", return_to as "returnTo", session_id as "sessionId"`,
};

const lockStatement: Statement = {
  name: 'oauth.lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};

const knownStatement: Statement = {
  name: 'oauth.known',
  text: `select a.id, a.principal_id as "principalId", p.disabled_at is not null as disabled
    from authenticators a join principals p on p.id = a.principal_id
    where a.kind = 'oauth' and a.public_subject = $1 and a.revoked_at is null`,
};

const takenStatement: Statement = {
  name: 'oauth.taken',
  text: `select 1 from authenticators
    where kind = 'email' and public_subject = $1 and verified_at is not null and revoked_at is null`,
};

const sessionStatement: Statement = {
  name: 'oauth.session',
  text: `select principal_id as "principalId" from sessions
    where id = $1 and ${textOf(sessionStands(alias(sessions, 'sessions')))}`,
};

const keepStatement: Statement = {
  name: 'oauth.keep',
  text: `insert into authenticators as a (id, principal_id, kind, public_subject, verified_at)
    values ($1, $2, 'oauth', $3, clock_timestamp())
    on conflict (kind, public_subject) do update set principal_id = excluded.principal_id, revoked_at = null,
      verified_at = clock_timestamp()
    returning id`,
};
