import { type Address, type NetworkName, networks } from './networks.ts';

/** What one request is sold for. */
export interface Terms {
  readonly network: NetworkName;
  /** In the mixed case of EIP-55. */
  readonly payTo: Address;
  /** In micro-dollars, which are the token's smallest unit. */
  readonly amount: bigint;
  /** What is bought, as an absolute URL. */
  readonly resource: string;
  readonly description: string;
  /** Of what is bought. */
  readonly mimeType: string;
  /** How long a signature lives, in seconds. */
  readonly maxTimeoutSeconds: number;
  /** Whether to wait for the network's configured confirmations. @default false: its transaction is in a block */
  readonly confirmed?: boolean;
}

/** Name and version of the token's EIP-712 domain. */
const domainOf = (network: NetworkName) => {
  const { name, version } = networks[network].usdc;
  return { name, version };
};

/** A requirement in version 1 of x402. Contract 00, section 1.2. */
export const requirementV1 = (terms: Terms) => ({
  scheme: 'exact' as const,
  network: terms.network,
  maxAmountRequired: String(terms.amount),
  asset: networks[terms.network].usdc.address,
  payTo: terms.payTo,
  resource: terms.resource,
  description: terms.description,
  mimeType: terms.mimeType,
  maxTimeoutSeconds: terms.maxTimeoutSeconds,
  extra: domainOf(terms.network),
});

/** A requirement in version 2 of x402. Contract 00, section 1.3. */
export const requirementV2 = (terms: Terms) => ({
  scheme: 'exact' as const,
  network: networks[terms.network].caip2,
  amount: String(terms.amount),
  asset: networks[terms.network].usdc.address,
  payTo: terms.payTo,
  maxTimeoutSeconds: terms.maxTimeoutSeconds,
  extra: domainOf(terms.network),
});

export type RequirementV2 = ReturnType<typeof requirementV2>;

/**
 * The body of a 402 in version 1.
 *
 * @param error why, for people, or a reason of section 1.10
 * @param others the same on other networks
 */
export const challengeV1 = (terms: Terms, error: string, others: readonly Terms[] = []) => ({
  x402Version: 1 as const,
  error,
  accepts: [terms, ...others].map(requirementV1),
});

/**
 * What the `PAYMENT-REQUIRED` header of a 402 holds in version 2.
 *
 * @param extensions by name, each `{info, schema}`
 * @param others the same on other networks
 */
export const challengeV2 = (
  terms: Terms,
  error: string,
  extensions?: Readonly<Record<string, unknown>>,
  others: readonly Terms[] = [],
) => ({
  x402Version: 2 as const,
  error,
  resource: { url: terms.resource, description: terms.description, mimeType: terms.mimeType },
  accepts: [terms, ...others].map(requirementV2),
  ...(extensions === undefined ? {} : { extensions }),
});

/** A header's value: base64 of JSON, in the alphabet that clients test for, with padding. */
export const encodeHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
