import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose';
import { listenLater, oidcClient } from '../helpers/oidc-server.ts';

/** What the next sign-in is lied to about. */
export interface Lies {
  /** Over the claims of the ID token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  /** `none` signs nothing; `stranger` signs with a key that nobody published; `hmac` with the client's secret. */
  readonly signedBy?: 'none' | 'stranger' | 'hmac';
  /** Instead of the answer of the token endpoint. */
  readonly token?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly userinfo?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly keys?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Over the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A provider that answers what a test wants: right in everything but the lies it was told. */
export async function startHostileProvider() {
  const { issuer, answer, stop } = await listenLater();
  const [own, stranger] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let lies: Lies = {};
  /** Who signs in, and the nonce that the start told. */
  let [sub, nonce] = ['', ''];
  const asked: string[] = [];
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  async function idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: oidcClient.client_id,
      sub,
      nonce,
      iat: now,
      exp: now + 60,
      email: `${sub}@example.com`,
      email_verified: true,
      ...lies.claims,
    };
    if (lies.signedBy === 'none') return new UnsecuredJWT(claims).encode();
    const hmac = lies.signedBy === 'hmac';
    const key = hmac
      ? Buffer.from(oidcClient.client_secret)
      : (lies.signedBy === 'stranger' ? stranger : own).privateKey;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: hmac ? 'HS256' : 'RS256', kid: 'one', ...lies.header })
      .sign(key);
  }

  answer(async (request, response) => {
    const path = request.url!.split('?')[0]!;
    asked.push(path);
    switch (path) {
      case '/.well-known/openid-configuration':
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          ...lies.metadata,
        });
      case '/keys':
        return lies.keys === undefined ? json(response, { keys: [jwk] }) : lies.keys(request, response);
      case '/token':
        if (lies.token !== undefined) return lies.token(request, response);
        return json(response, { access_token: 'of the provider', token_type: 'Bearer', id_token: await idToken() });
      case '/userinfo':
        return lies.userinfo === undefined ? json(response, { sub }) : lies.userinfo(request, response);
      default:
        return response.writeHead(404).end();
    }
  });
  return {
    issuer,
    asked,
    stop,
    json,
    /** Where the provider sends a browser back to that came with this address. */
    authorize(authorizationUrl: string, told: Lies): string {
      lies = told;
      const { searchParams } = new URL(authorizationUrl);
      [sub, nonce] = [randomUUID(), searchParams.get('nonce')!];
      const back = new URL(searchParams.get('redirect_uri')!);
      back.search = new URLSearchParams({ code: 'of the provider', state: searchParams.get('state')! }).toString();
      return back.href;
    },
    subject: () => sub,
    tell: (told: Lies) => {
      lies = told;
    },
  };
}
