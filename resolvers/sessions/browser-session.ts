import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { principals, sessions } from '../../db/schema/identity.ts';
import { computed, pick, prefixed, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { SessionCaller } from '../../kernel/access/caller.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { resolveCaller } from '../identity/shared/resolve-caller.ts';
import { noteUse, sessionStands, useIsDue } from '../identity/shared/session-stands.ts';
import { browserName } from './browser-name.ts';
import { endSession } from './own-session.ts';
import { inSession } from './session-scope.ts';
import { type MintedSession, openCookie } from './shared/sessions.ts';

/** The cookie of a person's session. Its prefix has browsers hold it to this host, and from scripts. Contract 01, 1.8. */
const cookieName = '__Host-Http-svc_cp_session';
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict';

interface ShownCookie {
  readonly sessionId: string;
  readonly secret: string;
}

/** The session that a `Cookie` header shows; undefined for none, for two of the name and for one of another form. */
export function readCookie(header: string | undefined, name = cookieName): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

function shownBy(header: string | undefined): ShownCookie | undefined {
  const [, sessionId, secret] = /^v1\.(ses_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/.exec(readCookie(header) ?? '') ?? [];
  return sessionId === undefined || secret === undefined ? undefined : { sessionId, secret };
}

/** Until when is the database's to say: a browser is only told when to forget it. */
export const sessionCookie = ({ sessionId, secret }: ShownCookie): string =>
  `${cookieName}=v1.${sessionId}.${secret}; Max-Age=43200; ${attributes}`;

export const clearedSessionCookie = `${cookieName}=; Max-Age=0; ${attributes}`;

/** What forms and scripts of the session's own pages send along, which no other site can know. */
export const csrfOf = (secret: string): string => sha256Hex(`${secret}:csrf`).slice(0, 32);

/** A person's session as its browser shows it. */
export interface BrowserSession {
  readonly caller: SessionCaller;
  readonly csrf: string;
}

/** The session of a cookie, asked for anew with every request; undefined for one that has ended or never was. */
export async function findBrowserSession(
  services: Services,
  cookies: string | undefined,
): Promise<BrowserSession | undefined> {
  const shown = shownBy(cookies);
  if (shown === undefined) return undefined;
  const asked = { id: shown.sessionId, secretHash: sha256Hex(shown.secret) };
  const [row] = await services.db.rows(cookieStatement.with(asked));
  if (row === undefined) return undefined;
  if (row.useIsDue) await noteUse(services, shown.sessionId);
  const caller: SessionCaller = {
    kind: row.kind,
    principal: {
      id: row['principal.id'],
      type: row['principal.type'],
      displayName: row['principal.displayName'],
      createdAt: row['principal.createdAt'],
    },
    authenticator: null,
    sessionId: shown.sessionId,
    email: row.email,
    provenance: row.provenance,
    amrTimes: row.amrTimes,
    expiresAt: row.absoluteExpiresAt,
    askedAt: row.askedAt,
  };
  return { caller, csrf: csrfOf(shown.secret) };
}

/** The same request, by the person who has just signed in with it. */
export const asMinted = (ctx: Context, { token }: Pick<MintedSession, 'token'>): Context => {
  const credentials = { authorization: `Bearer ${token}` };
  const journey = { host: undefined, network: '' };
  return { ...ctx, anonymous: false, credentials, caller: () => resolveCaller(ctx.services, credentials, journey) };
};

interface Opened {
  readonly sessionId: string;
  readonly secret: string;
}

const OpenedWire = z.object({ status: z.literal('ok'), csrf_token: z.string().meta({ secret: true }) });
const openedToWire = ({ secret, sessionId }: Opened, ctx: Context) => {
  ctx.setHeader?.('set-cookie', sessionCookie({ sessionId, secret }));
  return { status: 'ok' as const, csrf_token: csrfOf(secret) };
};

const open = (name: 'session.openBrowser' | 'session.refreshBrowser', summary: string) =>
  mutation({
    name,
    summary,
    credentialBound: true,
    access: inSession<object>('control_plane', 'operator'),
    forReaders: true,
    input: z.object({
      client: z.string().max(1_024).optional().describe('How the browser calls itself.'),
    }),
    async handler(work, { client }): Promise<Opened> {
      const { sessionId } = work.session;
      return { sessionId, secret: await openCookie(work, sessionId, browserName(client)) };
    },
    audit: ({ sessionId }) => ({ action: 'session.browser_opened', object: { kind: 'session', id: sessionId } }),
    wire: OpenedWire,
    toWire: openedToWire,
  });

/** `POST /agent/v1/control-plane/session/browser`. Contract 01, section 5.14. */
export const openBrowser = open('session.openBrowser', 'Have a person’s session live in a cookie of this browser.');

/** `POST /agent/v1/control-plane/session/browser/refresh`: the earlier cookie is invalid from then on. */
export const refreshBrowser = open('session.refreshBrowser', 'Give the cookie of a person’s session another secret.');

/** `POST /agent/v1/control-plane/session/browser/revoke`. */
export const closeBrowser = mutation({
  name: 'session.closeBrowser',
  summary: 'End the session that lives in the cookie of this browser; without one there is nothing to end.',
  credentialBound: true,
  access: anyone(),
  forReaders: true,
  input: z.object({}),
  async handler(work): Promise<{ sessionId: string | undefined }> {
    const caller = await work.caller();
    if (caller.kind !== 'control_plane' && caller.kind !== 'operator') return { sessionId: undefined };
    await endSession(work, caller.sessionId);
    return { sessionId: caller.sessionId };
  },
  audit: ({ sessionId }) =>
    sessionId === undefined ? undefined : { action: 'session.revoked', object: { kind: 'session', id: sessionId } },
  wire: z.object({ status: z.literal('revoked') }),
  toWire: (_result, ctx) => {
    ctx.setHeader?.('set-cookie', clearedSessionCookie);
    return { status: 'revoked' as const };
  },
});

/** @throws CSRF_REFUSED unless a page of this server sent it, with the session's own word where it has one */
export function requireOwnPage(
  { services, request }: Context,
  { origin, csrf, given }: { origin: string | undefined; csrf: string | undefined; given: unknown },
): void {
  const own = new URL(services.settings.publicBaseUrl ?? request.baseUrl).origin;
  if (origin !== own) throw new ServiceError('CSRF_REFUSED', { details: { reason: 'origin' } });
  if (csrf !== undefined && given !== csrf) throw new ServiceError('CSRF_REFUSED', { details: { reason: 'token' } });
}

const cookieStatement = statement(
  'sessions.cookie-session',
  {
    params: pick(sessions, 'id', 'secretHash'),
    row: {
      ...pick(sessions, 'kind', 'email', 'provenance', 'amrTimes', 'absoluteExpiresAt'),
      ...prefixed('principal.', pick(principals, 'id', 'type', 'displayName', 'createdAt')),
      askedAt: computed<number>('double precision', sql`extract(epoch from now())::float8`),
      useIsDue: computed<boolean>('boolean', useIsDue()),
    },
  },
  ({ id, secretHash }, row) => sql`select ${row} from ${sessions}
    join ${principals} on ${principals.id} = ${sessions.principalId} and ${principals.disabledAt} is null
    where ${sessions.id} = ${id} and ${sessions.secretHash} = ${secretHash} and ${sessionStands()}`,
);
