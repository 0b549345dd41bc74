import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { projectMetrics, projectRequests } from '../../db/schema/traffic.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { forgetLate, forgetTraffic } from './forget-traffic.ts';
import { getMetrics } from './get-metrics.ts';
import {
  hoursKeptDays,
  pruneAnon,
  pruneFailures,
  pruneRefused,
  pruneSuccesses,
  requestsKeptDays,
  rollUp,
} from './keep-traffic.ts';
import { listRequests } from './list-requests.ts';
import { trafficActions } from './shared/actions.ts';

onProjectDeletion(forgetTraffic);

export const traffic = domain('traffic', {
  actions: trafficActions,
  operations: [getMetrics, listRequests],
  expires: [
    {
      table: projectMetrics,
      when: sql`${projectMetrics.span} = 'hour' and ${isPast(projectMetrics.startsAt, `${hoursKeptDays} days`)}`,
    },
    { table: projectRequests, when: isPast(projectRequests.at, `${requestsKeptDays} days`) },
  ],
  housekeeping: {
    'roll up metrics': rollUp,
    'prune failed requests': pruneFailures,
    'prune requests': pruneSuccesses,
    'prune requests of anon': pruneAnon,
    'prune refused requests': pruneRefused,
    ...forgetLate,
  },
});
