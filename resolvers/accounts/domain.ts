import { domain } from '../../kernel/run/domain.ts';
import { accountErrors } from './error-codes.ts';
import { setDisplayName } from './set-display-name.ts';
import { whoami } from './whoami.ts';

export const accounts = domain('accounts', {
  errors: accountErrors,
  operations: [whoami, setDisplayName],
});
