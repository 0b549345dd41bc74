import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

export const deployEventTypes = events({
  deploy_activated: event({
    class: 'lifecycle',
    level: 'project',
    payload: z.object({
      release_id: z.string(),
      operation_id: z.string(),
      previous_release_id: z.string().nullable().optional(),
      activated_by: z.string().nullable().optional(),
    }),
    nextActions: ({ payload }) => [
      { type: 'check_release', method: 'GET', path: `/apply/v1/operations/${payload.operation_id}` },
    ],
  }),
});

export const deployActivated = deployEventTypes.deploy_activated;
