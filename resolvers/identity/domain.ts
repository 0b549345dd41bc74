import { isPast } from '../../db/intervals.ts';
import { walletNonces } from '../../db/schema/identity.ts';
import { domain } from '../../kernel/run/domain.ts';
import { identityErrors } from './error-codes.ts';

export const identity = domain('identity', {
  errors: identityErrors,
  expires: [{ table: walletNonces, when: isPast(walletNonces.expiresAt) }],
});
