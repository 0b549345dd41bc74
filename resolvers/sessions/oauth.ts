import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { returnPath } from '../../core/return-path.ts';
import { advisoryLock } from '../../db/advisory-lock.ts';
import { sql } from '../../db/drizzle.ts';
import { authenticators, principals, sessions } from '../../db/schema/identity.ts';
import { oauthFlows } from '../../db/schema/sign-in-flows.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Person } from '../../engines/sign-in/identity-provider.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { peopleThrottles, signInMinutes } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { refusalOfProvider } from '../auth/shared/social-refusal.ts';
import { newState, passageOf } from '../auth/shared/social-secrets.ts';
import { sessionStands } from '../identity/shared/session-stands.ts';
import { notifyPerson } from './notify-person.ts';
import { activateInvites, emailsOf, personOfEmail } from './people.ts';
import { inSession } from './session-scope.ts';
import { type MintedSession, mintSession, sessionBegun } from './shared/sessions.ts';
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
  await countOfNetwork(ctx, peopleThrottles.flowOfNetwork, 'oauth');
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
  const begun = {
    stateHash: sha256Hex(flow.state),
    provider: flow.provider,
    redirectUri: flow.redirectUri,
    returnTo,
    browserHash: sha256Hex(browser),
    sessionId,
    minutes: signInMinutes.flow,
  };
  await work.rows(beginStatement.with(begun));
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
    ctx.setHeader?.('set-cookie', oauthCookie(browser, signInMinutes.flow * 60));
    return { auth_url: url };
  },
});

interface Returned {
  readonly provider: string;
  readonly person: Person;
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
    const shown = { stateHash: sha256Hex(state), provider, browserHash: sha256Hex(browser ?? '') };
    const [flow] = await ctx.services.db.rows(useStatement.with(shown));
    if (flow === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'state_invalid' } });
    const passage = passageOf(ctx.services, state, flow.redirectUri);
    const person = await chosen.identify(passage, query).catch((error: unknown) => {
      throw refusalOfProvider(ctx, chosen, error);
    });
    return { provider, person, returnTo: flow.returnTo, sessionId: flow.sessionId };
  },
  async handler(work, _input, returned: Returned): Promise<OauthOutcome> {
    const subject = `${returned.provider}:${returned.person.subject}`;
    await work.rows(advisoryLock.with({ key: `oauth:${subject}` }));
    const [known] = await work.rows(knownStatement.with({ subject }));
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
  const [session] = await work.rows(sessionStatement.with({ id: sessionId }));
  if (session === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
  const { principalId } = session;
  if (known !== undefined && known.principalId !== principalId)
    throw new ServiceError('SVC_AUTH_IDENTITY_LINK_CONFLICT');
  const [kept] = await work.rows(keepStatement.with({ id: randomUUID(), principalId, publicSubject: subject }));
  await notifyPerson(work, principalId, `A social account was added: ${subject.split(':')[0]}.`);
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
  const [taken] = await work.rows(takenStatement.with({ email: email.data }));
  if (taken !== undefined) throw new ServiceError('account_exists_requires_link');
  const { principalId } = await personOfEmail(work, email.data);
  const [kept] = await work.rows(keepStatement.with({ id: randomUUID(), principalId, publicSubject: subject }));
  return { id: kept!.id, principalId };
}

const beginStatement = statement(
  'oauth.begin',
  {
    params: {
      ...pick(oauthFlows, 'stateHash', 'provider', 'redirectUri', 'returnTo', 'browserHash', 'sessionId'),
      minutes: typed<number>('integer'),
    },
  },
  ({ minutes, ...given }) =>
    insertInto(oauthFlows, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    }),
);

const useStatement = statement(
  'oauth.use',
  {
    params: pick(oauthFlows, 'stateHash', 'provider', 'browserHash'),
    row: pick(oauthFlows, 'provider', 'redirectUri', 'returnTo', 'sessionId'),
  },
  ({ stateHash, provider, browserHash }, row) =>
    sql`update ${oauthFlows} ${setOf(oauthFlows, { usedAt: sql`clock_timestamp()` })}
      where ${oauthFlows.stateHash} = ${stateHash} and ${oauthFlows.provider} = ${provider}
        and ${oauthFlows.browserHash} = ${browserHash} and ${oauthFlows.usedAt} is null
        and ${oauthFlows.expiresAt} > clock_timestamp()
      returning ${row}`,
);

const knownStatement = statement(
  'oauth.known',
  {
    params: { subject: authenticators.publicSubject },
    row: {
      ...pick(authenticators, 'id', 'principalId'),
      disabled: computed<boolean>('boolean', sql`${principals.disabledAt} is not null`),
    },
  },
  ({ subject }, row) => sql`select ${row} from ${authenticators}
    join ${principals} on ${principals.id} = ${authenticators.principalId}
    where ${authenticators.kind} = 'oauth' and ${authenticators.publicSubject} = ${subject}
      and ${authenticators.revokedAt} is null`,
);

const takenStatement = statement(
  'oauth.taken',
  { params: { email: authenticators.publicSubject }, row: pick(authenticators, 'id') },
  ({ email }, row) => sql`select ${row} from ${authenticators}
    where ${authenticators.kind} = 'email' and ${authenticators.publicSubject} = ${email}
      and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null`,
);

const sessionStatement = statement(
  'oauth.session',
  { params: pick(sessions, 'id'), row: pick(sessions, 'principalId') },
  ({ id }, row) => sql`select ${row} from ${sessions} where ${sessions.id} = ${id} and ${sessionStands()}`,
);

const keepStatement = statement(
  'oauth.keep',
  { params: pick(authenticators, 'id', 'principalId', 'publicSubject'), row: pick(authenticators, 'id') },
  (given, row) =>
    sql`${insertInto(authenticators, {
      ...given,
      kind: sql`'oauth'`,
      verifiedAt: sql`clock_timestamp()`,
    })} on conflict (${namesOf(authenticators.kind, authenticators.publicSubject)}) do update ${setOf(authenticators, {
      principalId: excluded(authenticators.principalId),
      revokedAt: sql`null`,
      verifiedAt: sql`clock_timestamp()`,
    })} returning ${row}`,
);
