import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { cancelTransfer } from './cancel-transfer.ts';
import { acceptTransfer, claimTransfer } from './complete-transfer.ts';
import { transferErrors } from './error-codes.ts';
import { transferEvents } from './event-types.ts';
import { expireTask, expireTransfers, forgetOffer } from './expire-transfers.ts';
import { initiateTransfer } from './initiate-transfer.ts';
import { listIncoming, listOutgoing, previewTransfer } from './read-transfers.ts';
import { transferActions } from './shared/actions.ts';

onProjectDeletion(forgetOffer);

/** Projects from one organization to another. */
export const transfers = domain('transfers', {
  errors: transferErrors,
  actions: transferActions,
  events: transferEvents,
  operations: [
    initiateTransfer,
    listIncoming,
    listOutgoing,
    previewTransfer,
    acceptTransfer,
    claimTransfer,
    cancelTransfer,
  ],
  jobs: [{ task: expireTask, run: expireTransfers }],
  expires: [
    {
      table: projectTransfers,
      when: sql`${projectTransfers.endedAt} is not null and ${isPast(projectTransfers.endedAt, '365 days')}`,
    },
  ],
  housekeeping: { 'end offers that nobody took up': expireTransfers },
});
