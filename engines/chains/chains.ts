import { type ChainReader, createEvmReader } from './evm-reader.ts';
import { ChainUnavailable, type Finding, pending } from './finding.ts';
import { type ChainName, type EvmNetworkName, evmNetworks } from './networks.ts';
import { createTonReader } from './ton-reader.ts';

export interface ChainsOptions {
  /** JSON-RPC endpoints by network; a network without one is not read. They may hold keys. */
  readonly rpcUrls: Readonly<Partial<Record<EvmNetworkName, string>>>;
  /** How deep transactions have to lie. @default the networks' own */
  readonly confirmations: Readonly<Partial<Record<ChainName, number>>>;
  /** The index of TON; undefined: TON is not read. */
  readonly ton?: { readonly url: string; readonly apiKey?: string | undefined } | undefined;
  readonly log: { readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void };
}

/** Reads what transactions paid, on the networks that an operator has named an endpoint of. */
export interface Chains {
  /**
   * What a transaction paid to a wallet, as far as its network tells now. Nothing is remembered; who asks for one that
   * is being read waits for that reading. Never throws: what cannot be read is pending.
   *
   * @param hash in its normal form
   */
  readonly read: (network: ChainName, hash: string, payTo: string) => Promise<Finding>;
}

/** Most transactions that are read on one network at once; who comes then comes again. */
const readingsMax = 32;

export function createChains({ rpcUrls, confirmations, ton, log }: ChainsOptions): Chains {
  const readers = new Map<ChainName, ChainReader>();
  for (const [name, network] of Object.entries(evmNetworks) as [EvmNetworkName, (typeof evmNetworks)['base']][]) {
    const url = rpcUrls[name];
    if (url !== undefined)
      readers.set(
        name,
        createEvmReader({ name, network, url, confirmations: confirmations[name], warn: log.warn.bind(log) }),
      );
  }
  if (ton !== undefined) readers.set('ton', createTonReader({ ...ton, confirmations: confirmations.ton }));
  const running = new Map<ChainName, Map<string, Promise<Finding>>>();

  async function reading(network: ChainName, reader: ChainReader, hash: string, payTo: string): Promise<Finding> {
    try {
      return await reader.read(hash, payTo);
    } catch (error) {
      // The error's words are fixed ones. What else is thrown is a fault of ours, and told of where those are.
      if (!(error instanceof ChainUnavailable)) throw error;
      log.warn({ network, reason: error.message }, 'A chain could not be read.');
      return pending('network_unavailable');
    }
  }

  return {
    async read(network, hash, payTo) {
      const reader = readers.get(network);
      if (reader === undefined) return pending('network_not_enabled');
      const ofNetwork = running.get(network) ?? new Map<string, Promise<Finding>>();
      running.set(network, ofNetwork);
      const key = `${hash} ${payTo}`;
      const shared = ofNetwork.get(key);
      if (shared !== undefined) return shared;
      if (ofNetwork.size >= readingsMax) return pending('network_unavailable');
      const fresh = reading(network, reader, hash, payTo);
      ofNetwork.set(key, fresh);
      try {
        return await fresh;
      } finally {
        ofNetwork.delete(key);
      }
    },
  };
}
