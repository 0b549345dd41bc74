import { domain } from '../../kernel/run/domain.ts';
import { setDisplayName } from './set-display-name.ts';
import { whoami } from './whoami.ts';

export const accounts = domain('accounts', {
  operations: [whoami, setDisplayName],
});
