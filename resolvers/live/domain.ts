import { isPast } from '../../db/intervals.ts';
import { liveConnections } from '../../db/schema/live.ts';
import { domain } from '../../kernel/run/domain.ts';
import { liveErrors } from './error-codes.ts';
import { openLive } from './open-live.ts';
import { pruneLive } from './shared/prune-live.ts';

export const live = domain('live', {
  errors: liveErrors,
  operations: [openLive],
  expires: [
    // A node that lives renews its own.
    { table: liveConnections, when: isPast(liveConnections.expiresAt, '1 minute') },
  ],
  housekeeping: {
    'prune live': ({ ctx }) => pruneLive(ctx),
  },
});
