import { domain } from '../../kernel/run/domain.ts';
import { verifyTransaction } from './verify-transaction.ts';

export const verifications = domain('verifications', {
  operations: [verifyTransaction],
});
