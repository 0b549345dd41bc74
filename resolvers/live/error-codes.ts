import { again, defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const liveErrors = defineErrors({
  TABLE_NOT_LIVE: row(403, 'auth', 'The table is not marked live in the project’s manifest.'),
  LIVE_CONNECTION_LIMIT: row(429, 'rate_limit', 'The project has as many live connections as it may have.', {
    retryable: true,
    nextActions: [again],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof liveErrors, ErrorRow> {}
}
