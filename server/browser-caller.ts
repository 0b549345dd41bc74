import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { SessionCaller } from '../kernel/access/caller.ts';
import type { BrowserProof } from '../kernel/access/credentials.ts';
import type { Services } from '../kernel/run/context.ts';
import { findBrowserSession, readCookie } from '../resolvers/sessions/browser-session.ts';

/**
 * What a page of this server shows to act as the person whose cookie its browser has: the word of the session, which no
 * other site can know. A cookie alone is no credential: browsers send it along with requests of other sites.
 */
export function browserProofOf(headers: IncomingHttpHeaders): BrowserProof | undefined {
  const { cookie, origin, 'x-svc-csrf': csrf, 'sec-fetch-site': site } = headers;
  if (typeof csrf !== 'string' || cookie === undefined || readCookie(cookie) === undefined) return undefined;
  return { cookie, csrf, origin, sameOrigin: origin === undefined && site === 'same-origin' };
}

/**
 * The person of a browser's cookie, looked up with every request and with each operation of a socket.
 *
 * @param own origin of this server; undefined: the client named a host that is not known to be this server's
 * @throws CSRF_REFUSED unless a page of this server asks, with the session's own word; INVALID_AUTH for a session that
 * has ended
 */
export async function browserCaller(
  services: Services,
  { cookie, csrf, origin, sameOrigin }: BrowserProof,
  own: string | undefined,
): Promise<SessionCaller> {
  if (own === undefined || !(sameOrigin || origin === own))
    throw new ServiceError('CSRF_REFUSED', { details: { reason: 'origin' } });
  const found = await findBrowserSession(services, cookie);
  if (found === undefined) throw new ServiceError('INVALID_AUTH', { details: { reason: 'session_ended' } });
  if (found.csrf !== csrf) throw new ServiceError('CSRF_REFUSED', { details: { reason: 'token' } });
  return found.caller;
}
