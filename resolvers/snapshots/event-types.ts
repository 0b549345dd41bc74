import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const snapshot = z.object({ snapshot_id: z.string(), kind: z.string() });
const restore = z.object({ operation_id: z.string(), snapshot_id: z.string(), pre_restore_snapshot_id: z.string() });
const failure = z.object({ error_code: z.string(), message: z.string() });

/** What becomes of copies of a project's database. */
export const snapshotEventTypes = events({
  snapshot_ready: event({ class: 'lifecycle', level: 'project', payload: snapshot }),
  snapshot_failed: event({
    class: 'lifecycle',
    title: 'A snapshot failed',
    notice: 'critical',
    level: 'project',
    payload: snapshot.extend(failure.shape),
  }),
  database_restored: event({
    class: 'lifecycle',
    title: 'A database was restored',
    notice: 'ordinary',
    level: 'project',
    payload: restore,
  }),
  database_restore_failed: event({
    class: 'lifecycle',
    title: 'A restore of a database failed',
    notice: 'critical',
    level: 'project',
    payload: restore.extend(failure.shape),
  }),
});
