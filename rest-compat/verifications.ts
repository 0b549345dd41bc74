import { verifyTransaction } from '../resolvers/verifications/verify-transaction.ts';
import { apiRoute } from './api-route.ts';

/** Paths to licences that were paid for straight on chain. Contract 00, part 2. */
export const verificationRoutes = [
  apiRoute(
    'POST',
    '/api/verify-tx',
    verifyTransaction,
    {},
    {
      // What befalls the audit of a site is said beside the licence.
      refusals: [
        'INVALID_URL',
        'SCHEME_NOT_ALLOWED',
        'IP_LITERAL',
        'RESTRICTED_HOST',
        'SIGNING_UNAVAILABLE',
        'UPSTREAM_UNAVAILABLE',
      ],
      examples: {
        request: {
          tx_hash: '0x5f2c7a8e9b0d1c3f4a6e8b7d9c0f1e2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
          network: 'base',
          url: 'https://shop.example.org/',
          plan_price: 29,
        },
        answer: {
          ok: false,
          verified: false,
          pending: true,
          reason: 'awaiting_confirmations 1/3: blocks on top of the transaction',
          network: 'base',
          tx_hash: '0x5f2c7a8e9b0d1c3f4a6e8b7d9c0f1e2a3b4c5d6e7f8091a2b3c4d5e6f7081920',
        },
      },
    },
    // The payer may ask, whatever else its client sends along.
    { withoutCredential: true },
  ),
];
