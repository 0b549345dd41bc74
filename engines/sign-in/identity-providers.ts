import { createGuardedFetch, type GuardedFetch } from '../../core/guarded-fetch.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { createOidcProvider, type OidcSettings } from './oidc-provider.ts';

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
  /** What the times of a provider's tokens are held against. @default the machine's clock */
  readonly now?: () => Date;
}

const google: ListedProvider = { provider: 'google', enabled: false, display_name: 'Google' };

/** The providers that an operator configured. */
export function createIdentityProviders({
  settings,
  fetch,
  now = () => new Date(),
}: IdentityProvidersOptions): IdentityProviders {
  const guarded = fetch ?? createGuardedFetch({ named: settings.map(({ issuer }) => issuer) });
  const providers = new Map(settings.map((one) => [one.id, createOidcProvider(one, guarded, now)]));
  const listed = settings.map(({ id, displayName }) => ({ provider: id, enabled: true, display_name: displayName }));
  return {
    listed: providers.has(google.provider) ? listed : [google, ...listed],
    get: (id) => providers.get(id),
  };
}
