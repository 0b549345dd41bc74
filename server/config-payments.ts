import { z } from 'zod';
import { parsed, tonAddress, urlOf, webUrl } from './config-values.ts';

/** Chains that are read, by the part of their variables' names that tells them apart. */
const chains = {
  BASE: 'base',
  BASE_SEPOLIA: 'base-sepolia',
  ETHEREUM: 'ethereum',
  POLYGON: 'polygon',
  BSC: 'bsc',
} as const;

export type ChainName = (typeof chains)[keyof typeof chains];

/** How payments are taken and looked up on chains. */
export interface PaymentsConfig {
  /** Key of the account that settles payments; undefined: this process settles none. */
  readonly settlerKey: `0x${string}` | undefined;
  /** Key of the account that test money is given from, and micro-dollars of one gift; undefined: none is given. */
  readonly faucetKey: `0x${string}` | undefined;
  readonly faucetAmount: bigint;
  /** A facilitator that settles them instead. */
  readonly facilitatorUrl: string | undefined;
  /** JSON-RPC endpoints. */
  readonly rpcUrls: Readonly<Partial<Record<ChainName, string>>>;
  /** Blocks that a transaction needs to count, its own among them; each use has a default of its own. */
  readonly confirmations: Readonly<Partial<Record<ChainName | 'ton', number>>>;
  /** An index of TON; undefined: payments there are not looked up. */
  readonly ton: { readonly url: string; readonly apiKey: string | undefined } | undefined;
  /** The account on TON that payments go to; undefined: none, so they are not looked up. */
  readonly tonSettlementAddress: string | undefined;
}

const endpoint = () =>
  parsed('a URL that begins with http:// or https://', (value) =>
    urlOf(value, 'http', 'https') === undefined ? undefined : value,
  );

const privateKey = () =>
  parsed('a private key: 0x and 64 hexadecimal digits, not all the same', (value) =>
    /^0x(?!(.)\1{63}$)[0-9a-f]{64}$/i.test(value) ? (value.toLowerCase() as `0x${string}`) : undefined,
  );

const depth = () =>
  parsed('a whole number from 1 to 1000', (value) =>
    /^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1_000 ? Number(value) : undefined,
  );

/** Their part of the environment's schema. */
export const paymentVariables = {
  X402_SETTLER_KEY: privateKey(),
  FAUCET_KEY: privateKey(),
  FAUCET_USD_MICROS: parsed('micro-dollars, a whole number from 1 to 100000000', (value) =>
    /^[1-9]\d{0,8}$/.test(value) && Number(value) <= 100_000_000 ? BigInt(value) : undefined,
  ),
  X402_FACILITATOR_URL: endpoint(),
  RPC_URL_BASE: endpoint(),
  RPC_URL_BASE_SEPOLIA: endpoint(),
  RPC_URL_ETHEREUM: endpoint(),
  RPC_URL_POLYGON: endpoint(),
  RPC_URL_BSC: endpoint(),
  CONFIRMATIONS_BASE: depth(),
  CONFIRMATIONS_BASE_SEPOLIA: depth(),
  CONFIRMATIONS_ETHEREUM: depth(),
  CONFIRMATIONS_POLYGON: depth(),
  CONFIRMATIONS_BSC: depth(),
  SETTLEMENT_ADDRESS_TON: parsed('an account of the main network of TON, in any of its spellings', tonAddress),
  TON_API_URL: parsed('a URL that begins with http:// or https://, without a query or credentials', webUrl),
  TON_API_KEY: parsed('without spaces', (value) => (/^[\x21-\x7e]{1,512}$/.test(value) ? value : undefined)),
  CONFIRMATIONS_TON: depth(),
};

const paymentEnvironment = z.object(paymentVariables);
type PaymentEnvironment = Partial<z.output<typeof paymentEnvironment>>;

const needsEndpoint = (chain: string, purpose: string) => ({
  default: `${purpose} on ${chain} are unavailable`,
  description: `JSON-RPC endpoint of ${chain}.`,
  secret: true,
});

const needsDepth = (chain: string, byDefault: string, addition = '') => ({
  default: byDefault,
  description: `Blocks that a transaction on ${chain} needs to count, its own among them.${addition}`,
  secret: false,
});

/** Their part of the documentation. */
export const paymentDescriptions = {
  X402_SETTLER_KEY: {
    default: 'payments are not settled by this process',
    description:
      'Private key of an account with gas, `0x…`, that brings payments onto the chain: it pays the gas and never holds the money. Nodes may share one, and so take turns. Needs `RPC_URL_BASE`, for test payments `RPC_URL_BASE_SEPOLIA`.',
    secret: true,
  },
  FAUCET_KEY: {
    default: 'no test money is given away',
    description:
      'Private key of an account on base-sepolia with test USDC and gas, `0x…`, from which a wallet gets some each day. Needs `RPC_URL_BASE_SEPOLIA`.',
    secret: true,
  },
  FAUCET_USD_MICROS: {
    default: '`250000`, a quarter of a dollar',
    description: 'Micro-dollars of test USDC that a wallet gets at a time.',
    secret: false,
  },
  X402_FACILITATOR_URL: {
    default: 'payments are settled with `X402_SETTLER_KEY`, or not at all',
    description:
      'An x402 facilitator that verifies and settles payments instead, in version 2. What it says is held against the chain where that has an `RPC_URL_…`.',
    secret: true,
  },
  RPC_URL_BASE: {
    ...needsEndpoint('base', 'payments by this process, look-ups and signers'),
    description: 'JSON-RPC endpoint of base, where audits and their packages are paid, and signers sign.',
  },
  RPC_URL_BASE_SEPOLIA: {
    ...needsEndpoint('base-sepolia', 'payments by this process and signers'),
    description: 'JSON-RPC endpoint of base-sepolia, where what costs test money is paid, and signers sign.',
  },
  RPC_URL_ETHEREUM: needsEndpoint('ethereum', 'look-ups'),
  RPC_URL_POLYGON: needsEndpoint('polygon', 'look-ups'),
  RPC_URL_BSC: needsEndpoint('bsc', 'look-ups'),
  CONFIRMATIONS_BASE: needsDepth(
    'base',
    '`1` for payments, `3` for look-ups and for calls of signers',
    ' Of payments, the costliest alone wait for more than one.',
  ),
  CONFIRMATIONS_BASE_SEPOLIA: needsDepth('base-sepolia', '`1`'),
  CONFIRMATIONS_ETHEREUM: needsDepth('ethereum', '`12`'),
  CONFIRMATIONS_POLYGON: needsDepth('polygon', '`5`'),
  CONFIRMATIONS_BSC: needsDepth('bsc', '`3`'),
  SETTLEMENT_ADDRESS_TON: {
    default: 'look-ups on TON are unavailable',
    description: 'Account on TON that licences are paid to, such as `UQ…` or `0:…`.',
    secret: false,
  },
  TON_API_URL: {
    default: 'look-ups on TON are unavailable',
    description: 'Index of TON that answers as API version 3 of TON Center does, for example `https://toncenter.com`.',
    secret: false,
  },
  TON_API_KEY: {
    default: 'one question a second, so that a look-up takes some seconds',
    description: 'Key of that index, sent in the header `X-API-Key`.',
    secret: true,
  },
  CONFIRMATIONS_TON: {
    default: '`1`',
    description: 'Blocks of the masterchain that have to follow that of a payment on TON.',
    secret: false,
  },
} as const;

export function paymentsOf(values: PaymentEnvironment): PaymentsConfig {
  const byChain = <Value>(prefix: 'RPC_URL' | 'CONFIRMATIONS') =>
    Object.fromEntries(
      Object.entries(chains).flatMap(([suffix, chain]) => {
        const value = values[`${prefix}_${suffix}` as keyof PaymentEnvironment];
        return value === undefined ? [] : [[chain, value as Value]];
      }),
    );
  return {
    settlerKey: values.X402_SETTLER_KEY,
    faucetKey: values.FAUCET_KEY,
    faucetAmount: values.FAUCET_USD_MICROS ?? 250_000n,
    facilitatorUrl: values.X402_FACILITATOR_URL,
    rpcUrls: byChain<string>('RPC_URL'),
    confirmations: {
      ...byChain<number>('CONFIRMATIONS'),
      ...(values.CONFIRMATIONS_TON === undefined ? {} : { ton: values.CONFIRMATIONS_TON }),
    },
    ton: values.TON_API_URL === undefined ? undefined : { url: values.TON_API_URL, apiKey: values.TON_API_KEY },
    tonSettlementAddress: values.SETTLEMENT_ADDRESS_TON,
  };
}

/** What of them cannot go together, a sentence each. */
export const paymentFaults = (values: PaymentEnvironment): string[] => [
  ...(values.X402_SETTLER_KEY !== undefined && values.X402_FACILITATOR_URL !== undefined
    ? ['X402_SETTLER_KEY must be absent when X402_FACILITATOR_URL is set: one of them settles.']
    : []),
  ...(values.FAUCET_KEY !== undefined && values.RPC_URL_BASE_SEPOLIA === undefined
    ? ['FAUCET_KEY needs RPC_URL_BASE_SEPOLIA: test money is sent there.']
    : []),
];
