import { inParallel } from '../../../core/in-parallel.ts';
import { sql } from '../../../db/drizzle.ts';
import { interval } from '../../../db/intervals.ts';
import { projectDomains } from '../../../db/schema/hosts.ts';
import { projects } from '../../../db/schema/projects.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../../kernel/run/task.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { lockDomain } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { settleLook } from './settle-look.ts';

export const recheckDomainsTask = 'recheck-domains';

/** Domains that one statement takes, and how many are looked at at once. */
const batch = { rows: 50, atOnce: 8 } as const;

/** Looks at the domains that are due, and does what follows. A domain that is taken is left alone for ten minutes by others. */
export const recheckDomains: Task = async ({ ctx, log }) => {
  const { services } = ctx;
  for (;;) {
    ctx.signal.throwIfAborted();
    const due = await services.db.rows(takeStatement.with({}));
    await inParallel(due, batch.atOnce, async ({ publicId, desired, token, ...key }) => {
      ctx.signal.throwIfAborted();
      const observed = await lookAt(services, { ...key, desired, token }, targetOf(services, publicId));
      const before = await unitOfWork(ctx, async (work) => {
        // In the order in which changes by clients take their locks.
        if ((await lockProject(work, key.projectId)) === undefined) return undefined;
        const row = await lockDomain(work.rows, key);
        if (row === undefined) return undefined;
        return { row, after: await settleLook(work, row, publicId, observed) };
      });
      if (before !== undefined && (before.row.boundAt === null) !== (before.after.boundAt === null))
        log.info({ domain: key.name, project_id: key.projectId, status: before.after.status }, 'A domain has moved.');
    });
    if (due.length < batch.rows) return;
  }
};

const takeStatement = statement(
  'domains.take-due',
  {
    row: { ...pick(projectDomains, 'orgId', 'projectId', 'name', 'desired', 'token'), ...pick(projects, 'publicId') },
  },
  (_none, row) => sql`update ${projectDomains} ${setOf(projectDomains, {
    nextCheckAt: sql`now() + ${interval('10 minutes')}`,
  })} from ${projects}
    where ${projectDomains}.ctid = any(array(select due.ctid from ${projectDomains} due where due.next_check_at <= now()
      order by due.next_check_at limit ${sql.raw(String(batch.rows))} for update skip locked))
      and ${projects.orgId} = ${projectDomains.orgId} and ${projects.id} = ${projectDomains.projectId}
    returning ${row}`,
);
