import type { Configuration, CustomFetchOptions } from 'openid-client';
import { type GuardedFetch, GuardedFetchError } from '../../core/guarded-fetch.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { personOf } from './person.ts';
import { ProviderError } from './provider-error.ts';

/** What an operator says of an OpenID Connect provider. */
export interface OidcSettings {
  readonly id: string;
  readonly displayName: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** How long what a provider says of itself is believed, in milliseconds. */
const metadataMs = 3_600_000;
/** By how much the clock of a provider may be off, in seconds. */
const clockSeconds = 30;
/** By how much the machine's own clock may move until the library is told anew, in seconds. */
const skewMax = 5;

const scope = 'openid email profile';

// Loaded on first use: many installations have no social sign-in.
const load = () => import('openid-client');
type Library = Awaited<ReturnType<typeof load>>;

/** A provider that speaks OpenID Connect, by the certified client library. */
export function createOidcProvider(settings: OidcSettings, fetch: GuardedFetch, now: () => Date): IdentityProvider {
  const { id, displayName } = settings;
  let known:
    | { readonly configuration: Promise<Configuration>; readonly until: number; readonly skew: number }
    | undefined;
  const configured = (library: Library): Promise<Configuration> => {
    // The library counts by the machine's clock, and takes for good by how much that one is off.
    const skew = Math.round((now().getTime() - Date.now()) / 1000);
    if (known !== undefined && known.until > performance.now() && Math.abs(known.skew - skew) <= skewMax)
      return known.configuration;
    const configuration = discover(library, settings, fetch, skew);
    const asked = { configuration, until: performance.now() + metadataMs, skew };
    known = asked;
    // A failure is nothing to remember.
    configuration.catch(() => {
      if (known === asked) known = undefined;
    });
    return configuration;
  };
  return {
    id,
    displayName,
    async authorizationUrl({ redirectUri, state, nonce, codeVerifier }, loginHint) {
      const library = await load();
      try {
        const url = library.buildAuthorizationUrl(await configured(library), {
          redirect_uri: redirectUri,
          response_type: 'code',
          scope,
          state,
          nonce,
          code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        });
        // A browser is sent there: never by another scheme than the issuer’s own, or https.
        if (url.protocol !== 'https:' && url.protocol !== new URL(settings.issuer).protocol)
          throw new ProviderError('provider_unavailable', 'authorization_endpoint');
        return url;
      } catch (error) {
        throw faultOf(library, error, 'provider_unavailable');
      }
    },
    async identify({ redirectUri, state, nonce, codeVerifier }, query) {
      const library = await load();
      try {
        const configuration = await configured(library).catch((error: unknown) => {
          throw faultOf(library, error, 'provider_unavailable');
        });
        const url = new URL(redirectUri);
        for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
        const tokens = await library.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        // Providers may leave everything but the subject to be asked for.
        const asks = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = asks ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
        return personOf({ ...claims, ...more });
      } catch (error) {
        throw faultOf(library, error, 'token_exchange_failed');
      }
    },
  };
}

function discover(
  library: Library,
  { issuer, clientId, clientSecret }: OidcSettings,
  fetch: GuardedFetch,
  skew: number,
): Promise<Configuration> {
  const [basic, post] = [library.ClientSecretBasic(clientSecret), library.ClientSecretPost(clientSecret)];
  const execute = [library.enableNonRepudiationChecks];
  // The guarded client still asks no other origin than the named one by plain http.
  if (issuer.startsWith('http:')) execute.push(library.allowInsecureRequests);
  return library.discovery(
    new URL(issuer),
    clientId,
    { [library.clockTolerance]: clockSeconds, [library.clockSkew]: skew },
    // Basic is what holds where a provider says nothing.
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
    },
    { execute, [library.customFetch]: (url, request) => ask(fetch, url, request) },
  );
}

async function ask(
  fetch: GuardedFetch,
  url: string,
  { method, headers, body, signal }: CustomFetchOptions,
): Promise<Response> {
  const response = await fetch(url, { method, headers, body: body as string, signal });
  if (response.status >= 500) throw new ProviderError('provider_unavailable', `status_${response.status}`);
  return response;
}

/** @param usual what is told where nothing better is known */
function faultOf({ AuthorizationResponseError }: Library, error: unknown, usual: string): ProviderError {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ProviderError) return at;
    if (at instanceof GuardedFetchError) return new ProviderError('provider_unavailable', at.reason);
    // It comes by way of the browser, and is shown to the application: words of the protocol alone.
    if (at instanceof AuthorizationResponseError)
      return new ProviderError(/^[a-z_]{1,64}$/.test(at.error) ? at.error : 'access_denied', 'authorization_response');
  }
  const code = (error as { readonly code?: unknown }).code;
  return new ProviderError(usual, typeof code === 'string' ? code : 'unknown');
}
