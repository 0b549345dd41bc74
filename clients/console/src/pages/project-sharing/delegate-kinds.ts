import type { DelegateKind } from './sharing.graphql.ts';

/** How a delegate proves itself, in words. */
export const kindNames: Readonly<Record<DelegateKind, string>> = {
  SVC_AGENT_KEY: 'Token',
  CI_OIDC: 'CI build (OIDC)',
  TEMPO_ACCESS_KEY: 'Tempo access key',
  BASE_DISPOSABLE_EOA: 'Disposable wallet',
  ERC7710: 'ERC-7710',
};

/** The kinds that can be created: `ERC7710` is refused by the gateway. */
export const creatable: readonly DelegateKind[] = [
  'SVC_AGENT_KEY',
  'CI_OIDC',
  'TEMPO_ACCESS_KEY',
  'BASE_DISPOSABLE_EOA',
];
