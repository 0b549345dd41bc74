import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const licenceErrors = defineErrors({
  SIGNING_UNAVAILABLE: row(503, 'upstream', 'The operator has not set up a key to sign licences and orders with.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof licenceErrors, ErrorRow> {}
}
