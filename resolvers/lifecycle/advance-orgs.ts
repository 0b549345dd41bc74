import type { Statement } from '../../db/pool.ts';
import type { LifecycleState, Tier } from '../../db/schema/orgs.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { dormantDaysMin, lifecycleDays } from '../../kernel/limits/limits.ts';
import { tierNames, tiers } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { releaseSlugs } from '../orgs/shared/claim-slug.ts';
import { queueLeaseEnded } from './lease-ended-mail.ts';
import type { MovedOrg } from './moved-org.ts';
import { tellOfMove } from './tell-of-move.ts';

/** The job that moves organizations on whose lease has ended. */
export const lifecycleTask = 'lifecycle';

/** Organizations moved by one transaction. */
const batchRows = 100;

/** Organizations whose usage begins anew by one statement. */
const usageBatchRows = 1_000;

/** Each state with the one before it, in the order in which an organization goes through them. */
const transitions = [
  ['active', 'past_due'],
  ['past_due', 'frozen'],
  ['frozen', 'dormant'],
  ['dormant', 'purged'],
] as const satisfies readonly (readonly [LifecycleState, keyof typeof lifecycleDays])[];

/**
 * Moves every organization on that is due by the database's clock. One that is due for several states, as after a long
 * time switched off, goes through all of them in one run, each with its row in the trail; only the last step, which
 * cannot be taken back, waits until it has been dormant for a while. May run on many nodes at once.
 */
export const advanceOrgs: Task = async ({ ctx }) => {
  for (const tier of tierNames) await countAnew(ctx, tier);
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

/** Begins a new period for the organizations of a tier that never renew a lease: without leases, that is all of them. */
async function countAnew({ services, signal }: Context, tier: Tier): Promise<void> {
  let begun: number;
  do {
    signal.throwIfAborted();
    const hours = tiers[tier].leaseDays * 24;
    begun = (await services.db.rows(pinnedUsageStatement, [tier, hours, usageBatchRows])).length;
  } while (begun === usageBatchRows);
}

function moveBatch(ctx: Context, from: LifecycleState, to: keyof typeof lifecycleDays): Promise<number> {
  return unitOfWork(ctx, async (work) => {
    const moved = await work.rows<MovedOrg>(moveStatement, [
      from,
      to,
      lifecycleDays[to] * 24,
      batchRows,
      pauseHours(to),
    ]);
    if (moved.length > 0) await follow(work, from, to, moved);
    return moved.length;
  });
}

async function follow(
  work: Work,
  from: LifecycleState,
  to: keyof typeof lifecycleDays,
  moved: readonly MovedOrg[],
): Promise<void> {
  work.afterCommit(() => forgetProjectTargets(work.services));
  const entries = moved.map(({ id, leaseExpiresAt }) => ({
    orgId: id,
    action: 'org.lifecycle_changed',
    object: { kind: 'organization', id },
    details: { from, to, lease_expires_at: leaseExpiresAt.toISOString() },
  }));
  await writeSystemAudit(work.client, work, 'lease_ended', entries);
  if (to === 'past_due') await queueLeaseEnded(work, moved);
  if (to !== 'purged') await tellOfMove(work, from, to, moved);
  if (to === 'purged') {
    const ids = moved.map(({ id }) => id);
    await releaseSlugs(work, ids);
    await work.rows(forgetSlugsStatement, [ids]);
  }
}

/** Hours for which an organization has to have been what it is before it is moved on. */
const pauseHours = (to: keyof typeof lifecycleDays) => (to === 'purged' ? dormantDaysMin * 24 : 0);

const dueFor = (from: LifecycleState, to: keyof typeof lifecycleDays) =>
  `lifecycle_state = '${from}' and lease_expires_at <= now() - interval '${lifecycleDays[to] * 24} hours'
        and lifecycle_entered_at <= now() - interval '${pauseHours(to)} hours'`;

const anyDueStatement: Statement = {
  name: 'lifecycle.any-due',
  text: `select 1 as "orgIsDue" from orgs
    where not lease_perpetual and lifecycle_state <> 'purged' and lease_expires_at <= now()
      and (${transitions.map(([from, to]) => `(${dueFor(from, to)})`).join(' or ')}) limit 1`,
};

// Whoever sets a tier holds the row and is left alone: the next run finds a new lease.
const moveStatement: Statement = {
  name: 'lifecycle.move',
  text: `with due as (
      select id from orgs
      where lifecycle_state = $1 and not lease_perpetual and lifecycle_state <> 'purged'
        and lease_expires_at <= now() - make_interval(hours => $3)
        and lifecycle_entered_at <= now() - make_interval(hours => $5)
      order by lease_expires_at limit $4 for no key update skip locked
    )
    update orgs o set lifecycle_state = $2, lifecycle_entered_at = now() from due where o.id = due.id
    returning o.id, o.display_name as "displayName", o.tier, o.lease_expires_at as "leaseExpiresAt",
      o.lifecycle_entered_at as "movedAt"`,
};

// A perpetual lease is never renewed, which is what begins a new period for all others. A row that is locked waits for
// the next run.
const pinnedUsageStatement: Statement = {
  name: 'lifecycle.pinned-usage',
  text: `update orgs o set usage_since = now() where o.id in (
      select id from orgs
      where lease_perpetual and tier = $1 and usage_since <= now() - make_interval(hours => $2)
      order by usage_since limit $3 for no key update skip locked
    ) returning o.id`,
};

const forgetSlugsStatement: Statement = {
  name: 'lifecycle.forget-slugs',
  text: 'update orgs set slug = null where id = any($1::uuid[]) and slug is not null',
};
