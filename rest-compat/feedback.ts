import { sendFeedback } from '../resolvers/feedback/send-feedback.ts';
import { route } from './route.ts';

const inBody = { about: ['body project_id', 'body project'] } as const;

/** Paths of feedback: its own, and the one that older clients know. Contract 04, section 3.8. */
export const feedbackRoutes = [
  route('POST', '/feedback/v1', 200, sendFeedback, inBody),
  route('POST', '/message/v1', 200, sendFeedback, inBody),
];
