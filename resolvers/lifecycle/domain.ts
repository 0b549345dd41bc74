import { domain } from '../../kernel/run/domain.ts';
import { advanceOrgs, lifecycleTask } from './advance-orgs.ts';
import { setLeasePerpetual } from './set-lease-perpetual.ts';

export const lifecycle = domain('lifecycle', {
  operations: [setLeasePerpetual],
  jobs: [{ task: lifecycleTask, run: advanceOrgs, everyMinutes: 10 }],
});
