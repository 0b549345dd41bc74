import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const billingErrors = defineErrors({
  RELINK_SOURCE_ORG_NOT_EMPTY: row(409, 'conflict', 'The wallet has an organization already, which is not empty.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof billingErrors, ErrorRow> {}
}
