import { sql } from '../../db/drizzle.ts';
import { projectTransfers } from '../../db/schema/transfers.ts';
import { pick, statement } from '../../db/sql.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { endOffer } from './end-offer.ts';

/** The job that looks for offers whose time is over: one is enqueued for the end of each. */
export const expireTask = 'transfers_expire';

/** Ends offers that nobody took up in time, one after the other. */
export const expireTransfers: Task = (job) =>
  untilNotFull(job, 1, async () => {
    const [over] = await job.ctx.services.db.rows(overStatement.with({}));
    if (over === undefined) return 0;
    await unitOfWork(job.ctx, async (work) => {
      await lockProject(work, over.projectId);
      const ended = await endOffer(work, over.id, { state: 'expired', by: 'system', reason: null });
      if (ended === undefined) return;
      await writeSystemAudit(work.client, work, 'offer_expired', [
        {
          orgId: ended.orgId,
          action: 'project.offer_expired',
          object: { kind: 'project', id: ended.projectId },
          details: { transfer_id: ended.id },
        },
      ]);
    });
    return 1;
  });

/** The offer of a project that is deleted ends with it. */
export async function forgetOffer(work: Work, { projectId }: DeletedProject): Promise<void> {
  const [pending] = await work.rows(pendingStatement.with({ projectId }));
  if (pending !== undefined)
    await endOffer(work, pending.id, { state: 'cancelled', by: 'system', reason: 'The project was deleted.' });
}

const overStatement = statement(
  'transfers.over',
  { row: pick(projectTransfers, 'id', 'projectId') },
  (_none, row) => sql`select ${row} from ${projectTransfers}
    where ${projectTransfers.state} = 'pending' and ${projectTransfers.expiresAt} <= now()
    order by ${projectTransfers.expiresAt} limit 1`,
);

const pendingStatement = statement(
  'transfers.pending-of',
  { params: pick(projectTransfers, 'projectId'), row: pick(projectTransfers, 'id') },
  ({ projectId }, row) => sql`select ${row} from ${projectTransfers}
    where ${projectTransfers.projectId} = ${projectId} and ${projectTransfers.state} = 'pending'`,
);
