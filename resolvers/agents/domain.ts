import { domain } from '../../kernel/run/domain.ts';
import { agentErrors } from './error-codes.ts';

export const agents = domain('agents', {
  errors: agentErrors,
  expires: [
    { table: 'a2a_tasks', when: 'expires_at < now()' },
    { table: 'webhook_jobs', when: 'expires_at < now()' },
    { table: 'kept_results', when: 'expires_at < now()' },
  ],
});
