/** A token that licences may be paid in. */
export interface AcceptedAsset {
  readonly symbol: string;
  /** The contract, in the mixed case of EIP-55; on TON the jetton's master, in raw form. */
  readonly address: string;
  /** From this table and never from the chain: what a contract says of itself must not decide what a dollar is. */
  readonly decimals: number;
}

export interface EvmNetwork {
  readonly chainId: number;
  /** Blocks from the transaction's own to the head, both counted. @default of `CONFIRMATIONS_<NETWORK>` */
  readonly confirmations: number;
  readonly assets: readonly AcceptedAsset[];
}

export type EvmNetworkName = 'base' | 'ethereum' | 'polygon' | 'bsc';

/** Networks whose transactions are verified. */
export type ChainName = EvmNetworkName | 'ton';

const token = (symbol: string, address: string, decimals = 6): AcceptedAsset => ({ symbol, address, decimals });

/** EVM networks and what is accepted on each. Contract 00, sections 2.3 and 2.4. */
export const evmNetworks: Readonly<Record<EvmNetworkName, EvmNetwork>> = {
  base: {
    chainId: 8453,
    confirmations: 3,
    assets: [
      token('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      token('USDT', '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
    ],
  },
  ethereum: {
    chainId: 1,
    confirmations: 12,
    assets: [
      token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    ],
  },
  polygon: {
    chainId: 137,
    confirmations: 5,
    assets: [
      token('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      token('USDC.e', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
      token('USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
    ],
  },
  bsc: {
    chainId: 56,
    confirmations: 3,
    // Pegged ones have the decimals of the chain's own coin.
    assets: [
      token('USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
      token('USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
    ],
  },
};

/** What is accepted on TON, and how many masterchain blocks have to follow. Contract 00, sections 2.3 and 2.5. */
export const tonNetwork = {
  confirmations: 1,
  asset: token('USDT', '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe'),
} as const;
