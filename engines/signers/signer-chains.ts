import { lazily } from '../x402/lazily.ts';
import type { NetworkName } from '../x402/networks.ts';
import { type SignerChainName, signerNetworks } from './networks.ts';
import { openSignerChain, type SignerChain } from './signer-chain.ts';

export interface SignerChainsOptions {
  /** JSON-RPC endpoints; a chain without one is not offered. */
  readonly rpcUrls: Readonly<Partial<Record<NetworkName, string>>>;
  /** How deep transactions have to lie. @default the chains' own */
  readonly confirmations: Readonly<Partial<Record<NetworkName, number>>>;
  readonly now: () => Date;
}

/** The chains that the operator has named an endpoint of. */
export interface SignerChains {
  readonly offers: (name: SignerChainName) => boolean;
  /** @throws ChainUnavailable; RangeError for one that is not offered */
  readonly open: (name: SignerChainName) => Promise<SignerChain>;
}

export function createSignerChains({ rpcUrls, confirmations, now }: SignerChainsOptions): SignerChains {
  const urlOf = (name: SignerChainName) => rpcUrls[signerNetworks[name].configured];
  return {
    offers: (name) => urlOf(name) !== undefined,
    open: lazily(async (name: SignerChainName) => {
      const network = signerNetworks[name];
      const url = urlOf(name);
      if (url === undefined) throw new RangeError(`The chain ${name} has no endpoint.`);
      return openSignerChain(network, { url, depth: confirmations[network.configured] ?? network.depth, now });
    }),
  };
}
