import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** Somebody with an account at the provider. */
export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly picture?: string;
}

export const oidcClient = { client_id: 'svc', client_secret: 'the secret of the client' };

/** A server on loopback whose answers are decided later, since its address has to be known first. */
export async function listenLater() {
  let answer: RequestListener = (_request, response) => void response.writeHead(404).end();
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer: `http://localhost:${(server.address() as AddressInfo).port}`,
    answer: (listener: RequestListener) => {
      answer = listener;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A real OpenID Connect server. Whoever is hinted at is signed in at once and consents; `denied` does not. It takes
 * nothing without PKCE, and leaves addresses to be asked for.
 */
export async function startOidcServer() {
  const { issuer, answer, stop } = await listenLater();
  const accounts = new Map<string, Account>();
  return {
    issuer,
    accounts,
    stop,
    /** Serves a client with the places it may send users back to. */
    async serve(redirectUris: readonly string[]) {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true });
      const provider = new Provider(issuer, {
        clients: [{ ...oidcClient, redirect_uris: [...redirectUris] }],
        jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
        cookies: { keys: ['of this test'] },
        claims: { email: ['email', 'email_verified'], profile: ['name', 'picture'] },
        pkce: { required: () => true },
        features: { devInteractions: { enabled: false } },
        ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
        findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
        interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
        async loadExistingGrant({ oidc }) {
          const grant = new oidc.provider.Grant({
            clientId: oidc.client!.clientId,
            accountId: oidc.session!.accountId!,
          });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      const answerProvider = provider.callback();
      answer(async (request, response) => {
        if (!request.url!.startsWith('/interaction/')) return answerProvider(request, response);
        const { params } = await provider.interactionDetails(request, response);
        const accountId = String(params.login_hint);
        const result = accountId === 'denied' ? { error: 'access_denied' } : { login: { accountId } };
        await provider.interactionFinished(request, response, result);
      });
    },
  };
}

export type OidcServer = Awaited<ReturnType<typeof startOidcServer>>;

/** What a browser does from one address on, with cookies of its own, until it is sent to another origin. */
export async function browse(from: string): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(from);
  let url = from;
  while (new URL(url).origin === origin) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    const text = await response.text();
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The browser stays at ${url}: ${response.status} ${text.slice(0, 500)}`);
    url = new URL(location, url).href;
  }
  return url;
}
