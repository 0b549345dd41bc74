import { z } from 'zod';

/** The shapes of x402 that clients meet. Contract 00, sections 1.2, 1.3, 1.6 and 1.11. */

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const atomic = z.string().regex(/^\d{1,78}$/);
const extra = z.object({ name: z.string(), version: z.string() });

const RequirementV1 = z.object({
  scheme: z.literal('exact'),
  network: z.string(),
  maxAmountRequired: atomic,
  asset: address,
  payTo: address,
  resource: z.url(),
  description: z.string(),
  mimeType: z.string(),
  maxTimeoutSeconds: z.int().min(1),
  extra,
});

const RequirementV2 = z.object({
  scheme: z.literal('exact'),
  network: z.string().regex(/^[^:]+:[^:]+$/),
  amount: atomic,
  asset: address,
  payTo: address,
  maxTimeoutSeconds: z.int().min(1),
  extra,
});

const ResourceV2 = z.object({
  url: z.url(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});

export const ChallengeV1 = z
  .object({ x402Version: z.literal(1), error: z.string(), accepts: z.array(RequirementV1).min(1) })
  .meta({ id: 'ChallengeV1' });

export const ChallengeV2 = z
  .object({
    x402Version: z.literal(2),
    error: z.string().optional(),
    resource: ResourceV2,
    accepts: z.array(RequirementV2).min(1),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ChallengeV2' });

const ExactEvmPayload = z.object({
  signature: z.string().regex(/^0x[0-9a-fA-F]+$/),
  authorization: z.object({
    from: address,
    to: address,
    value: atomic,
    validAfter: atomic,
    validBefore: atomic,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
});

const PaymentPayloadV1 = z
  .object({
    x402Version: z.literal(1),
    scheme: z.literal('exact'),
    network: z.string(),
    payload: ExactEvmPayload,
  })
  .meta({ id: 'PaymentPayloadV1', description: 'What `X-PAYMENT` holds in base64.' });

const PaymentPayloadV2 = z
  .object({
    x402Version: z.literal(2),
    accepted: RequirementV2,
    payload: ExactEvmPayload,
    resource: ResourceV2.optional(),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'PaymentPayloadV2', description: 'What `PAYMENT-SIGNATURE` holds in base64.' });

const SettlementObject = z
  .object({
    success: z.boolean(),
    transaction: z.string(),
    network: z.string(),
    payer: z.string().optional(),
    errorReason: z.string().optional(),
    errorMessage: z.string().optional(),
    amount: atomic.optional(),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'SettlementObject',
    description: 'What `PAYMENT-RESPONSE` and `X-PAYMENT-RESPONSE` hold in base64.',
  });

/** Shapes of which some travel in headers alone, where no schema of a path leads to them. */
export const paymentShapes = [ChallengeV1, ChallengeV2, PaymentPayloadV1, PaymentPayloadV2, SettlementObject];
