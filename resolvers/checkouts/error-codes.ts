import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

const unsettled = { retryable: true, nextActions: [again] };

export const checkoutErrors = defineErrors({
  CARD_CHECKOUT_NOT_CONFIGURED: row(503, 'billing', 'This installation takes no cards.'),
  CARD_CHECKOUT_PROVIDER_UNAVAILABLE: row(
    503,
    'upstream',
    'The card provider cannot be reached, or refused.',
    unsettled,
  ),
  CARD_EVENT_SIGNATURE_INVALID: row(400, 'auth', 'The card provider has not signed this event, or too long ago.'),
  LIGHTNING_TOPUP_NOT_CONFIGURED: row(503, 'billing', 'This installation takes no payments by lightning.'),
  LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE: row(
    503,
    'upstream',
    'The lightning node or its rate cannot be asked.',
    unsettled,
  ),
  LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS: row(400, 'validation', 'A top-up by lightning is 100 to 1,000,000 sats.', {
    nextActions: [edit],
  }),
  LIGHTNING_TOPUP_NOT_FOUND: row(404, 'not_found', 'The organization has no such top-up.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof checkoutErrors, ErrorRow> {}
}
