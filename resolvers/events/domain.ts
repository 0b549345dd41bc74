import { dropEventPartitions, makeEventPartitions } from '../../db/event-partitions.ts';
import { isPast } from '../../db/intervals.ts';
import { eventKeys } from '../../db/schema/events.ts';
import { domain } from '../../kernel/run/domain.ts';
import { emitEvent } from './emit-event.ts';
import { erasePurgedEvents } from './erase-purged.ts';
import { eventErrors } from './error-codes.ts';
import { listOrgEvents, listProjectEvents } from './list-events.ts';
import { openEvents } from './open-events.ts';
import { eventActions } from './shared/actions.ts';

export const events = domain('events', {
  errors: eventErrors,
  actions: eventActions,
  operations: [listProjectEvents, listOrgEvents, openEvents, emitEvent],
  expires: [
    // Nobody reports a fact so late; the events themselves are gone by then.
    { table: eventKeys, when: isPast(eventKeys.recordedAt, '400 days') },
  ],
  housekeeping: {
    'make event partitions': ({ ctx }) => makeEventPartitions(ctx.services.db.pool),
    'erase purged events': ({ ctx }) => erasePurgedEvents(ctx),
    'drop event partitions': async ({ ctx }) => void (await dropEventPartitions(ctx.services.db.pool, ctx.signal)),
  },
});
