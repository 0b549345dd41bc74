import { defineErrors, type ErrorRow, renew, row } from '../../core/error-codes.ts';

/** Contract 04, section 3.8. */
export const feedbackErrors = defineErrors({
  FEEDBACK_TIER_REQUIRED: row(
    403,
    'lifecycle',
    'Feedback is taken from members of organizations with an active tier, and this caller has none.',
    { nextActions: [renew] },
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof feedbackErrors, ErrorRow> {}
}
