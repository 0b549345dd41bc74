import { isPast } from '../../db/intervals.ts';
import { a2aTasks, webhookJobs } from '../../db/schema/agent-work.ts';
import { keptResults } from '../../db/schema/kept-results.ts';
import { domain } from '../../kernel/run/domain.ts';
import { agentErrors } from './error-codes.ts';

export const agents = domain('agents', {
  errors: agentErrors,
  expires: [
    { table: a2aTasks, when: isPast(a2aTasks.expiresAt) },
    { table: webhookJobs, when: isPast(webhookJobs.expiresAt) },
    { table: keptResults, when: isPast(keptResults.expiresAt) },
  ],
});
