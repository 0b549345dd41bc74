import { isPast } from '../../db/intervals.ts';
import { walletNonces } from '../../db/schema/identity.ts';
import { domain } from '../../kernel/run/domain.ts';

export const identity = domain('identity', {
  expires: [{ table: walletNonces, when: isPast(walletNonces.expiresAt) }],
});
