import { sql } from '../../db/drizzle.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { insertSnapshot } from './shared/insert-snapshot.ts';

/** The job that begins the daily snapshots that have come due. */
export const takeDailyTask = 'take_daily_snapshots';

const batch = 50;

/**
 * Begins the daily snapshot of each project whose time has come; seven are kept. A moment that no node was there for is made up
 * for once. What has not changed since yesterday is stored once.
 */
export const takeDaily: Task = (job) =>
  untilNotFull(job, batch, () =>
    unitOfWork(job.ctx, async (work) => {
      const due = await work.rows(dueStatement.with({}));
      for (const { orgId, id } of due) {
        const operationId = work.services.newId('op');
        await insertSnapshot(work, { orgId, projectId: id, kind: 'scheduled', operationId });
      }
      return due.length;
    }),
  );

const dueStatement = statement(
  'snapshots.due-daily',
  { row: pick(projects, 'orgId', 'id') },
  (_none, row) => sql`update ${projects} ${setOf(projects, { snapshotDueAt: sql`now() + interval '1 day'` })} from (
      select due.org_id, due.id from ${projects} due join ${orgs} on ${orgs.id} = due.org_id
      where due.state = 'ready' and due.deleted_at is null and due.archived_at is null and due.snapshot_due_at <= now()
        and ${orgs.lifecycleState} in ('active', 'past_due')
      order by due.snapshot_due_at limit ${sql.raw(String(batch))} for update of due skip locked
    ) as found where ${projects.orgId} = found.org_id and ${projects.id} = found.id returning ${row}`,
);
