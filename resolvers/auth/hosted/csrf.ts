import { ServiceError } from '../../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../../core/keys.ts';
import { readUrl } from '../../../core/urls.ts';
import type { SessionRow } from '../rows.ts';

/** What decides whether a request was sent by a page of the same host. */
export interface Sender {
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
}

/**
 * Refuses a change that another site's page sent. `Origin: null`, as of a sandboxed frame, is nobody's; a browser that
 * leaves `Origin` out says by `Referer` where it is. Contract 01, section 3.12.
 *
 * @param own origin of the host that was asked
 * @throws SVC_AUTH_CSRF_ORIGIN_MISMATCH
 */
export function requireOwnOriginOf({ origin, referer }: Sender, own: string): void {
  const from = origin ?? (referer === undefined ? undefined : readUrl(referer)?.origin);
  if (from !== own) throw new ServiceError('SVC_AUTH_CSRF_ORIGIN_MISMATCH');
}

/** What forms of a signed-in user's pages carry as `_csrf`; functions behind the gateway work it out alike. */
export const csrfToken = ({ id, auth_time }: Pick<SessionRow, 'id' | 'auth_time'>): string =>
  sha256Hex(`${id}:${Math.floor(Date.parse(auth_time) / 1000)}:csrf`).slice(0, 32);

/** @throws SVC_AUTH_CSRF_TOKEN_MISMATCH */
export function requireCsrfToken(session: Pick<SessionRow, 'id' | 'auth_time'>, given: unknown): void {
  if (typeof given !== 'string' || !sameSecret(given, csrfToken(session)))
    throw new ServiceError('SVC_AUTH_CSRF_TOKEN_MISMATCH');
}
