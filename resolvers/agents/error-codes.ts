import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const agentErrors = defineErrors({
  BAD_SIGNATURE: row(401, 'auth', 'The signature of the webhook is missing or wrong.'),
  RESULT_REFERENCE_NOT_FOUND: row(
    404,
    'not_found',
    'Nothing is kept under this reference, or not any more: call the tool again.',
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof agentErrors, ErrorRow> {}
}
