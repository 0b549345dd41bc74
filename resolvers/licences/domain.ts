import { domain } from '../../kernel/run/domain.ts';
import { licenceErrors } from './error-codes.ts';
import { getKeys } from './get-keys.ts';

export const licences = domain('licences', {
  errors: licenceErrors,
  operations: [getKeys],
});
