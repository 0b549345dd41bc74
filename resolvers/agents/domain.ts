import { domain } from '../../kernel/run/domain.ts';

export const agents = domain('agents', {
  expires: [
    { table: 'a2a_tasks', when: 'expires_at < now()' },
    { table: 'webhook_jobs', when: 'expires_at < now()' },
    { table: 'kept_results', when: 'expires_at < now()' },
  ],
});
