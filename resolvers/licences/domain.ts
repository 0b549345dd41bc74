import { domain } from '../../kernel/run/domain.ts';
import { getKeys } from './get-keys.ts';

export const licences = domain('licences', {
  operations: [getKeys],
});
