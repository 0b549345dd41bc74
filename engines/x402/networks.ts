export type Address = `0x${string}`;
export type Hex = `0x${string}`;

/** Networks that payments are asked for on, by the names that version 1 of x402 has for them. */
export type NetworkName = 'base' | 'base-sepolia';

/** USDC on a network, as its owner deployed it. */
interface Token {
  /** In the mixed case of EIP-55: clients of version 1 compare it as text. */
  readonly address: Address;
  /** Name and version of its EIP-712 domain. The name differs between networks, and a wrong one spoils each signature. */
  readonly name: string;
  readonly version: string;
  /** Of a dollar; so the smallest unit is a micro-dollar. */
  readonly decimals: 6;
  /** Of its EIP-712 domain: what the token on the chain has to say, too. */
  readonly domainSeparator: Hex;
}

export interface Network {
  readonly name: NetworkName;
  /** Its name in version 2. */
  readonly caip2: `eip155:${number}`;
  readonly chainId: number;
  readonly usdc: Token;
}

/** Contract 00, section 1.5. */
export const networks: Readonly<Record<NetworkName, Network>> = {
  base: {
    name: 'base',
    caip2: 'eip155:8453',
    chainId: 8453,
    usdc: {
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      name: 'USD Coin',
      version: '2',
      decimals: 6,
      domainSeparator: '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    },
  },
  'base-sepolia': {
    name: 'base-sepolia',
    caip2: 'eip155:84532',
    chainId: 84532,
    usdc: {
      address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      name: 'USDC',
      version: '2',
      decimals: 6,
      domainSeparator: '0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818',
    },
  },
};
