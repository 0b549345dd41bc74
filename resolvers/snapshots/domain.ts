import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { projectRestores, projectSnapshots } from '../../db/schema/snapshots.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createSnapshot } from './create-snapshot.ts';
import { deleteSnapshot } from './delete-snapshot.ts';
import { snapshotErrors } from './error-codes.ts';
import { snapshotEventTypes } from './event-types.ts';
import { dropLeftDatabases, expireSnapshots, forgetCopies } from './keep-house.ts';
import { getSnapshot, listSnapshots } from './read-snapshots.ts';
import { restoreSnapshot } from './restore/restore-snapshot.ts';
import { snapshotActions } from './shared/actions.ts';
import { takeDaily, takeDailyTask } from './take-daily.ts';

onProjectDeletion(forgetCopies);

export const snapshots = domain('snapshots', {
  errors: snapshotErrors,
  actions: snapshotActions,
  events: snapshotEventTypes,
  operations: [createSnapshot, listSnapshots, getSnapshot, deleteSnapshot, restoreSnapshot],
  jobs: [{ task: takeDailyTask, run: takeDaily, everyMinutes: 10 }],
  expires: [
    {
      table: projectSnapshots,
      when: sql`${projectSnapshots.status} in ('failed', 'expired') and ${isPast(projectSnapshots.expiresAt, '30 days')}`,
    },
    {
      table: projectRestores,
      when: sql`${projectRestores.dueAt} is null and ${isPast(projectRestores.updatedAt, '30 days')}`,
    },
  ],
  housekeeping: {
    'expire snapshots': expireSnapshots,
    'drop what restores have left': dropLeftDatabases,
  },
});
