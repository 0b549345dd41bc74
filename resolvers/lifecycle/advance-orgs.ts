import type { Statement } from '../../db/pool.ts';
import type { LifecycleState, Tier } from '../../db/schema/orgs.ts';
import { writeSystemAudit } from '../audit.ts';
import type { Context } from '../context.ts';
import { lifecycleDays } from '../limits.ts';
import { slugRestDays } from '../orgs/claim-slug.ts';
import { forgetProjectTargets } from '../rows/project-target.ts';
import type { Task } from '../task.ts';
import { unitOfWork, type Work } from '../unit-of-work.ts';
import { queueLeaseEnded } from './lease-ended-mail.ts';

/** The job that moves organizations on whose lease has ended. */
export const lifecycleTask = 'lifecycle';

/** Organizations moved by one transaction. */
const batchRows = 100;

/** Each state with the one before it, in the order in which an organization goes through them. */
const transitions = [
  ['active', 'past_due'],
  ['past_due', 'frozen'],
  ['frozen', 'dormant'],
  ['dormant', 'purged'],
] as const satisfies readonly (readonly [LifecycleState, keyof typeof lifecycleDays])[];

export interface MovedOrg {
  readonly id: string;
  readonly displayName: string | null;
  readonly tier: Tier;
  readonly leaseExpiresAt: Date;
}

/**
 * Moves every organization on that is due by the database's clock. One that is due for several states, as after a long
 * time switched off, goes through all of them in one run, each with its row in the trail. May run on many nodes at once.
 */
export const advanceOrgs: Task = async ({ ctx }) => {
  // Nearly always nobody is due, and that is one look.
  if ((await ctx.services.db.rows(anyDueStatement, [])).length === 0) return;
  for (const [from, to] of transitions) {
    let moved: number;
    do {
      ctx.signal.throwIfAborted();
      moved = await moveBatch(ctx, from, to);
    } while (moved === batchRows);
  }
};

function moveBatch(ctx: Context, from: LifecycleState, to: keyof typeof lifecycleDays): Promise<number> {
  return unitOfWork(
    ctx,
    async (work) => {
      const moved = await work.rows<MovedOrg>(moveStatement, [from, to, lifecycleDays[to] * 24, batchRows]);
      if (moved.length > 0) await follow(work, from, to, moved);
      return moved.length;
    },
    async () => {},
  );
}

async function follow(work: Work, from: LifecycleState, to: LifecycleState, moved: readonly MovedOrg[]): Promise<void> {
  work.afterCommit(() => forgetProjectTargets(work.services));
  const entries = moved.map(({ id, leaseExpiresAt }) => ({
    orgId: id,
    action: 'org.lifecycle_changed',
    object: { kind: 'organization', id },
    details: { from, to, lease_expires_at: leaseExpiresAt.toISOString() },
  }));
  await writeSystemAudit(work.client, work, 'lease_ended', entries);
  if (to === 'past_due') await queueLeaseEnded(work, moved);
  if (to === 'purged') {
    const ids = moved.map(({ id }) => id);
    await work.rows(releaseSlugsStatement, [ids, slugRestDays * 24]);
    await work.rows(forgetSlugsStatement, [ids]);
  }
}

const endedFor = (state: keyof typeof lifecycleDays) =>
  `lease_expires_at <= now() - interval '${lifecycleDays[state] * 24} hours'`;

const anyDueStatement: Statement = {
  name: 'lifecycle.any-due',
  text: `select 1 as "orgIsDue" from orgs
    where not lease_perpetual and lifecycle_state <> 'purged' and lease_expires_at <= now()
      and (${transitions.map(([from, to]) => `lifecycle_state = '${from}' and ${endedFor(to)}`).join(' or ')}) limit 1`,
};

// Whoever sets a tier holds the row and is left alone: the next run finds a new lease.
const moveStatement: Statement = {
  name: 'lifecycle.move',
  text: `with due as (
      select id from orgs
      where lifecycle_state = $1 and not lease_perpetual and lifecycle_state <> 'purged'
        and lease_expires_at <= now() - make_interval(hours => $3)
      order by lease_expires_at limit $4 for no key update skip locked
    )
    update orgs o set lifecycle_state = $2, lifecycle_entered_at = now() from due where o.id = due.id
    returning o.id, o.display_name as "displayName", o.tier, o.lease_expires_at as "leaseExpiresAt"`,
};

const releaseSlugsStatement: Statement = {
  name: 'lifecycle.release-slugs',
  text: `update org_slugs set released_at = now(), rests_until = now() + make_interval(hours => $2)
    where org_id = any($1::uuid[]) and released_at is null`,
};

const forgetSlugsStatement: Statement = {
  name: 'lifecycle.forget-slugs',
  text: 'update orgs set slug = null where id = any($1::uuid[]) and slug is not null',
};
