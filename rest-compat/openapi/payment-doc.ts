import { settlementNetwork } from '../../resolvers/audits/settlement.ts';
import type { JsonSchema, PaidDoc, ParameterDoc } from './path-doc.ts';

/** Who is paid, and where. */
export interface Seller {
  /** Scheme and host of the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** The wallet, in the mixed case of EIP-55. */
  readonly payTo: string;
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
  network: settlementNetwork.network,
  asset: settlementNetwork.asset.address,
  amount: String(amount),
  payTo,
});

const unpaid = 'Payment required';
const mimeType = 'application/json';
/** The token's own name and version, which a signature is bound to. */
const extra = { name: 'USD Coin', version: '2' };

/** An example of what asks for a payment: the body, and the header in base64. */
export function challengeOf(paid: PaidDoc, path: string, seller: Seller): { body: JsonSchema; header: string } {
  const { amount, description, maxTimeoutSeconds } = paid;
  const { network, caip2, asset } = settlementNetwork;
  const url = seller.baseUrl + path;
  const to = { asset: asset.address, payTo: seller.payTo };
  const second = {
    x402Version: 2,
    error: unpaid,
    resource: { url, description, mimeType },
    accepts: [{ scheme: 'exact', network: caip2, amount: String(amount), ...to, maxTimeoutSeconds, extra }],
  };
  const first = {
    x402Version: 1,
    error: unpaid,
    accepts: [
      {
        scheme: 'exact',
        network,
        maxAmountRequired: String(amount),
        ...to,
        resource: url,
        description,
        mimeType,
        maxTimeoutSeconds,
        extra,
      },
    ],
  };
  const header = Buffer.from(JSON.stringify(second)).toString('base64');
  return { body: paid.version === 2 ? second : first, header };
}
