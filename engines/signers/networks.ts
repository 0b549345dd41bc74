import type { NetworkName } from '../x402/networks.ts';

/** Chains that signers sign for. Contract 04, section 2. */
export const signerChainNames = ['base-mainnet', 'base-sepolia'] as const;

export type SignerChainName = (typeof signerChainNames)[number];

export interface SignerNetwork {
  readonly chainId: number;
  /** What the operator's settings call it. */
  readonly configured: NetworkName;
  /** Blocks that a transaction needs to be confirmed, its own among them, unless the operator says otherwise. */
  readonly depth: number;
  /** A contract of Chainlink's that tells what an ether costs. */
  readonly priceFeed: `0x${string}`;
}

export const signerNetworks: Readonly<Record<SignerChainName, SignerNetwork>> = {
  'base-mainnet': {
    chainId: 8453,
    configured: 'base',
    depth: 3,
    priceFeed: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
  },
  'base-sepolia': {
    chainId: 84532,
    configured: 'base-sepolia',
    depth: 1,
    priceFeed: '0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1',
  },
};

/** Where chains of the OP stack have what tells the fee of the chain below. */
export const gasPriceOracle = '0x420000000000000000000000000000000000000F';
