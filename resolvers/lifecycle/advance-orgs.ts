import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { type LifecycleState, orgs, type Tier } from '../../db/schema/orgs.ts';
import { from, pick, setOf, statement, typed } from '../../db/sql.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { dormantDaysMin, lifecycleDays } from '../../kernel/limits/limits.ts';
import { tierNames, tiers } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { releaseSlugs } from '../orgs/shared/claim-slug.ts';
import type { MovedOrg } from './moved-org.ts';
import { notifyOfMove } from './notify-of-move.ts';

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
  if ((await ctx.services.db.rows(anyDueStatement.with({}))).length === 0) return;
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
    begun = (await services.db.rows(pinnedUsageStatement.with({ tier, hours, limit: usageBatchRows }))).length;
  } while (begun === usageBatchRows);
}

function moveBatch(ctx: Context, from: LifecycleState, to: keyof typeof lifecycleDays): Promise<number> {
  return unitOfWork(ctx, async (work) => {
    const due = { from, to, hours: lifecycleDays[to] * 24, pauseHours: pauseHours(to), limit: batchRows };
    const moved = await work.rows(moveStatement.with(due));
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
  if (to !== 'purged') await notifyOfMove(work, from, to, moved);
  if (to === 'purged') {
    const ids = moved.map(({ id }) => id);
    await releaseSlugs(work, ids);
    await work.rows(forgetSlugsStatement.with({ ids }));
  }
}

/** Hours for which an organization has to have been what it is before it is moved on. */
const pauseHours = (to: keyof typeof lifecycleDays) => (to === 'purged' ? dormantDaysMin * 24 : 0);

const dueFor = (from: LifecycleState, to: keyof typeof lifecycleDays): SQL =>
  sql.raw(
    `lifecycle_state = '${from}' and lease_expires_at <= now() - interval '${lifecycleDays[to] * 24} hours'
      and lifecycle_entered_at <= now() - interval '${pauseHours(to)} hours'`,
  );

const anyDueStatement = statement(
  'lifecycle.any-due',
  { row: pick(orgs, 'id') },
  (_, row) => sql`select ${row} from ${orgs} where not ${orgs.leasePerpetual} and ${orgs.lifecycleState} <> 'purged'
    and ${orgs.leaseExpiresAt} <= now()
    and (${sql.join(
      transitions.map(([from, to]) => sql`(${dueFor(from, to)})`),
      sql` or `,
    )}) limit 1`,
);

const due = alias(orgs, 'due');
const hours = typed<number>('integer');

// A change of a tier holds the row, which is left alone: the next run finds a new lease.
const moveStatement = statement(
  'lifecycle.move',
  {
    params: {
      from: orgs.lifecycleState,
      to: orgs.lifecycleState,
      hours,
      pauseHours: hours,
      limit: typed<number>('bigint'),
    },
    row: { ...pick(orgs, 'id', 'displayName', 'tier', 'leaseExpiresAt'), movedAt: orgs.lifecycleEnteredAt },
  },
  (given, row) => sql`update ${orgs}
    ${setOf(orgs, { lifecycleState: given.to, lifecycleEnteredAt: sql`now()` })} from (
      select ${due.id} from ${from(due)}
      where ${due.lifecycleState} = ${given.from} and not ${due.leasePerpetual} and ${due.lifecycleState} <> 'purged'
        and ${due.leaseExpiresAt} <= now() - make_interval(hours => ${given.hours})
        and ${due.lifecycleEnteredAt} <= now() - make_interval(hours => ${given.pauseHours})
      order by ${due.leaseExpiresAt} limit ${given.limit} for no key update skip locked
    ) ${due} where ${orgs.id} = ${due.id} returning ${row}`,
);

// A perpetual lease is never renewed, which is what begins a new period for all others. A row that is locked waits for
// the next run.
const pinnedUsageStatement = statement(
  'lifecycle.pinned-usage',
  { params: { tier: orgs.tier, hours, limit: typed<number>('bigint') }, row: pick(orgs, 'id') },
  (given, row) => sql`update ${orgs} ${setOf(orgs, { usageSince: sql`now()` })} where ${orgs.id} in (
      select ${due.id} from ${from(due)} where ${due.leasePerpetual} and ${due.tier} = ${given.tier}
        and ${due.usageSince} <= now() - make_interval(hours => ${given.hours})
      order by ${due.usageSince} limit ${given.limit} for no key update skip locked
    ) returning ${row}`,
);

const forgetSlugsStatement = statement(
  'lifecycle.forget-slugs',
  { params: { ids: typed<readonly string[]>('uuid[]') } },
  ({ ids }) => sql`update ${orgs} ${setOf(orgs, { slug: sql`null` })}
    where ${orgs.id} = any(${ids}::uuid[]) and ${orgs.slug} is not null`,
);
