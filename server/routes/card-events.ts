import { takeCardEvent } from '../../resolvers/checkouts/settle/hint-checkout.ts';
import { sendJson } from '../respond.ts';
import { type Call, type CallEntry, ownPath } from './entry.ts';

/** Largest event, in bytes. */
const eventBytesMax = 1024 * 1024;

/** Where the card provider tells of payments: its signature is over the bytes of the body, and is the only credential. */
export const cardEventEntries: readonly CallEntry<void>[] = [
  {
    ...ownPath,
    method: 'POST',
    path: '/webhooks/stripe',
    auth: async () => undefined,
    body: eventBytesMax,
    async run({ exchange: { request, response }, ctx, body }: Call<void>): Promise<void> {
      await takeCardEvent(ctx, body, String(request.headers['stripe-signature'] ?? ''));
      sendJson(response, 200, { received: true });
    },
  },
];
