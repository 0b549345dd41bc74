import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const savedQueryErrors = defineErrors({
  QUERY_CONFLICT: row(409, 'conflict', 'The query was changed since you read it. Read it again, then save.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof savedQueryErrors, ErrorRow> {}
}
