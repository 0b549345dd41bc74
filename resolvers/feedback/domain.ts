import { isPast } from '../../db/intervals.ts';
import { feedback as kept } from '../../db/schema/feedback.ts';
import { domain } from '../../kernel/run/domain.ts';
import { feedbackErrors } from './error-codes.ts';
import { listFeedback } from './list-feedback.ts';
import { describeFeedback, sendFeedback } from './send-feedback.ts';

export const feedback = domain('feedback', {
  errors: feedbackErrors,
  operations: [sendFeedback, describeFeedback, listFeedback],
  // What was not acted upon in a year will not be.
  expires: [{ table: kept, when: isPast(kept.createdAt, '365 days') }],
});
