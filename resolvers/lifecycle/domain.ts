import { domain } from '../../kernel/run/domain.ts';
import { advanceOrgs, lifecycleTask } from './advance-orgs.ts';
import { lifecycleEvents } from './event-types.ts';
import { setLeasePerpetual } from './set-lease-perpetual.ts';

export const lifecycle = domain('lifecycle', {
  events: lifecycleEvents,
  operations: [setLeasePerpetual],
  jobs: [{ task: lifecycleTask, run: advanceOrgs, everyMinutes: 10 }],
});
