import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { browse } from '../helpers/oidc-server.ts';
import type { Answer } from '../helpers/service.ts';
import type { AuthProject } from './auth-project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Body = any;

export const verifierOf = () => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

export const appUrl = 'http://localhost:5173/back';

export interface StartOptions {
  readonly provider?: string;
  readonly bearer?: string;
  readonly body?: Record<string, unknown>;
}

/** What a browser app of a project does for a social sign-in. */
export function socialApp({ auth }: Pick<AuthProject, 'auth'>) {
  const start = (verifier: string, { provider = 'google', bearer, body = {} }: StartOptions = {}) =>
    auth('POST', `/auth/v1/oauth/${provider}/start`, {
      body: { redirect_url: appUrl, code_challenge: challengeOf(verifier), code_challenge_method: 'S256', ...body },
      ...(bearer === undefined ? {} : { bearer }),
    });
  const trade = (code: string, verifier: string): Promise<Answer<Body>> =>
    auth('POST', '/auth/v1/token?grant_type=authorization_code', { body: { code, code_verifier: verifier } });
  /** Goes to the provider as somebody, and to where it sends the browser back. @returns that address */
  const visit = async (verifier: string, options: StartOptions = {}): Promise<string> => {
    const { status, body } = await start(verifier, options);
    expect(status).toBe(200);
    return browse(body.authorization_url);
  };
  /** What the application gets in its fragment. */
  const arrive = async (callback: string): Promise<Record<string, string>> => {
    const response = await fetch(callback, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const url = new URL(response.headers.get('location')!);
    expect(url.origin + url.pathname).toBe(appUrl);
    return Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  };
  /** The whole way, as somebody at the provider. */
  const signIn = async (sub: string, options: StartOptions = {}): Promise<Answer<Body>> => {
    const verifier = verifierOf();
    const withHint = { ...options, body: { login_hint: sub, ...options.body } };
    const { code } = await arrive(await visit(verifier, withHint));
    return trade(code!, verifier);
  };
  return { start, visit, arrive, trade, signIn };
}
