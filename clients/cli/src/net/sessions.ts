import { connect } from '../../../sdk/src/connection.ts';
import { SvcError } from '../../../sdk/src/errors.ts';
import type { Cli } from '../cli.ts';
import { forgetSession, type KeptSession, keepSession, keptSession, type SessionKind } from '../files/sessions.ts';

const refreshed: Readonly<Record<SessionKind, { readonly path: string; readonly token: string }>> = {
  operator: { path: '/agent/v1/operator/session/refresh', token: 'operator_session_token' },
  'control-plane': { path: '/agent/v1/control-plane/session/refresh', token: 'control_plane_session_token' },
};

/** A token that ends sooner than this is renewed first, in milliseconds. */
const spareMs = 5 * 60_000;

/** The session kept for a gateway, renewed when it is about to end. @returns undefined when there is none any more */
export async function liveSession(cli: Cli, kind: SessionKind, apiBase: string): Promise<KeptSession | undefined> {
  const session = await keptSession(cli, kind, apiBase);
  if (session === undefined || Date.parse(session.expires_at) - Date.now() > spareMs) return session;
  const { path, token } = refreshed[kind];
  try {
    const { text } = await connect({ baseUrl: apiBase }).send({
      method: 'POST',
      path,
      body: '{}',
      isChange: true,
      headers: { authorization: `Bearer ${session.token}` },
    });
    const given = JSON.parse(text) as Record<string, unknown>;
    const expires_at = new Date(Date.now() + Number(given.expires_in) * 1000).toISOString();
    const renewed = { ...session, token: String(given[token]), expires_at };
    await keepSession(cli, kind, renewed);
    return renewed;
  } catch (error) {
    if (!(error instanceof SvcError) || (error.status !== 401 && error.status !== 403)) return session;
    await forgetSession(cli, kind, session.token);
    return undefined;
  }
}
