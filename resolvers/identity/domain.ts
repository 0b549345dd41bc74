import { domain } from '../../kernel/run/domain.ts';

export const identity = domain('identity', {
  expires: [{ table: 'wallet_nonces', when: 'expires_at < now()' }],
});
