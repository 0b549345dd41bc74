import { createGuardedFetch, type GuardedFetch } from '../../core/guarded-fetch.ts';
import { createOidcProvider, type OidcSettings } from './oidc-provider.ts';

/** What is sent along with a user, and known again when the user comes back. */
export interface Passage {
  /** Where the provider sends the user back to; registered there. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE between this server and the provider. */
  readonly codeVerifier: string;
}

/** Somebody, as a provider vouches for. */
export interface Person {
  /** What the provider calls them; it never changes. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider says that the address is theirs. */
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
}

/** Where people prove who they are. */
export interface IdentityProvider {
  readonly id: string;
  readonly displayName: string;
  /** Where a user is sent to. @throws ProviderError */
  readonly authorizationUrl: (passage: Passage, loginHint: string | undefined) => Promise<URL>;
  /** Who came back with a query like this. @throws ProviderError */
  readonly identify: (passage: Passage, query: Readonly<Record<string, string | undefined>>) => Promise<Person>;
}

/** What is told of a provider. */
export interface ListedProvider {
  readonly provider: string;
  readonly enabled: boolean;
  readonly display_name: string;
}

export interface IdentityProviders {
  /** Google is always listed; `enabled` says whether the operator configured it. */
  readonly listed: readonly ListedProvider[];
  readonly get: (id: string) => IdentityProvider | undefined;
}

export interface IdentityProvidersOptions {
  readonly settings: readonly OidcSettings[];
  /** @default a client that asks public hosts, and the issuers whose settings were named */
  readonly fetch?: GuardedFetch;
}

const google: ListedProvider = { provider: 'google', enabled: false, display_name: 'Google' };

/** The providers that an operator configured. */
export function createIdentityProviders({ settings, fetch }: IdentityProvidersOptions): IdentityProviders {
  const guarded = fetch ?? createGuardedFetch({ named: settings.map(({ issuer }) => issuer) });
  const providers = new Map(settings.map((one) => [one.id, createOidcProvider(one, guarded)]));
  const listed = settings.map(({ id, displayName }) => ({ provider: id, enabled: true, display_name: displayName }));
  return {
    listed: providers.has(google.provider) ? listed : [google, ...listed],
    get: (id) => providers.get(id),
  };
}
