import { networks } from '../../engines/x402/networks.ts';
import { challengeV1, challengeV2, encodeHeader, type Terms } from '../../engines/x402/terms.ts';
import type { JsonSchema, PaidDoc, ParameterDoc } from './path-doc.ts';

/** Who is paid, and where. */
export interface Seller {
  /** Scheme and host of the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** The wallet, in the mixed case of EIP-55. */
  readonly payTo: Terms['payTo'];
}

/** What is paid with: a payment in a header of either version, or beside the request's own parameters. */
export const paymentSchemes = {
  paymentSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description: 'A payment of x402, version 2: PaymentPayloadV2 as JSON in standard base64.',
  },
  xPayment: {
    type: 'apiKey',
    in: 'header',
    name: 'X-PAYMENT',
    description: 'A payment of x402, version 1: PaymentPayloadV1 as JSON in standard base64.',
  },
  paymentProof: {
    type: 'apiKey',
    in: 'query',
    name: 'payment_proof',
    description: 'A payment payload of either version in base64, or the hash of a transaction that paid.',
  },
} as const;

/** Alternatives: none of them asks for the challenge. */
export const securityOf = ({ proof }: PaidDoc): readonly JsonSchema[] => [
  {},
  { paymentSignature: [] },
  { xPayment: [] },
  ...(proof === true ? [{ paymentProof: [] }] : []),
];

/** Said by its scheme, not as a parameter once more. */
export const isPaymentProof = ({ in: place, name }: ParameterDoc): boolean =>
  place === 'query' && name === paymentSchemes.paymentProof.name;

const settlementHeader = (version: 1 | 2) => ({
  description: `How a payment of version ${version} was settled: SettlementObject as JSON in standard base64.`,
  schema: { type: 'string', contentEncoding: 'base64' },
});

export const paidHeaders = {
  'PAYMENT-RESPONSE': settlementHeader(2),
  'X-PAYMENT-RESPONSE': settlementHeader(1),
};

/** What tools that shop for agents read of a paid path. */
export const paymentInfo = ({ amount }: PaidDoc, { payTo }: Seller): JsonSchema => ({
  scheme: 'exact',
  network: networks.base.name,
  asset: networks.base.usdc.address,
  amount: String(amount),
  payTo,
});

/** An example of what asks for a payment: the body, and the header in base64. */
export function challengeOf(paid: PaidDoc, path: string, { baseUrl, payTo }: Seller): { body: object; header: string } {
  const { amount, description, maxTimeoutSeconds } = paid;
  const terms: Terms = {
    network: 'base',
    payTo,
    amount,
    resource: baseUrl + path,
    description,
    mimeType: 'application/json',
    maxTimeoutSeconds,
  };
  const second = challengeV2(terms, unpaid);
  return { body: paid.version === 2 ? second : challengeV1(terms, unpaid), header: encodeHeader(second) };
}

const unpaid = 'Payment required';
