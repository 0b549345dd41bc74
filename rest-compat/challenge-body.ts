import type { PaymentRequired } from '../resolvers/payments/payment-required.ts';

/** The one path whose challenge is of version 2 in its body, too: the specification says so. Contract 00, section 1.4. */
const unlockPath = '/api/audit';

/**
 * The text of a 402 under `/api`: a challenge in version 1 of x402, which older clients read; newer ones read the header
 * `PAYMENT-REQUIRED`.
 */
export const challengeBody = (path: string, { challenge }: PaymentRequired): string =>
  path.replace(/\/$/, '') === unlockPath ? JSON.stringify(challenge.v2) : challenge.texts.body;
