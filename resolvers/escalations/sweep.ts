import { sql } from '../../db/drizzle.ts';
import { type Climb, type Escalation, escalationPages, escalations } from '../../db/schema/escalations.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { mailOutbox } from '../../db/schema/platform.ts';
import { allOf, computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { pageDeadlineSeconds } from '../../kernel/limits/limits.ts';
import type { Task } from '../../kernel/run/task.ts';
import { escalationChanged } from './escalation-feed.ts';
import { nextRung, type Rung } from './ladder.ts';
import { contactsOf, pageContacts, scheduleSweep, staffedLevels } from './shared/page-level.ts';

type DueEscalation = Escalation & { /** By the database's clock. */ readonly takenAt: Date };

/**
 * Frees pages that a vanished node had in hand, and takes every escalation that is due by the database's clock a step up
 * the ladder, each in a transaction of its own. May run on many nodes at once, whatever their clocks say: what one has in
 * hand the others pass by.
 */
export const sweepEscalations: Task = async ({ ctx }) => {
  await ctx.services.db.rows(freePagesStatement.with({ task: sendMailTask }));
  // Nearly always nothing is due, and that is one look.
  if ((await ctx.services.db.rows(anyDueStatement.with({}))).length === 0) return;
  const failed: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (;;) {
    ctx.signal.throwIfAborted();
    let taken: string | undefined;
    try {
      const found = await unitOfWork(ctx, async (work) => {
        const [due] = await work.rows(takeStatement.with({ failed }));
        taken = due?.id;
        if (due !== undefined) await step(work, due);
        return due !== undefined;
      });
      if (!found) break;
    } catch (error) {
      if (taken === undefined) throw error;
      // One that fails does not keep the others from being paged.
      failed.push(taken);
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
};

async function step(work: Work, due: DueEscalation): Promise<void> {
  // Contacts change under the organization's lock: from here on nobody adds one unseen.
  const [org] = await work.rows(orgStatement.with({ id: due.orgId }));
  const contacts = await contactsOf(work, due.orgId);
  const rung = nextRung(due, staffedLevels(contacts));
  const pages = 'level' in rung;
  const climbs: readonly Climb[] =
    rung.kind === 'climb'
      ? [{ from_level: due.level, to_level: rung.level, at: due.takenAt.toISOString(), reason: 'deadline_lapsed' }]
      : [];
  const taken = stepStatement.with({
    orgId: due.orgId,
    id: due.id,
    level: pages ? rung.level : due.level,
    climbs: JSON.stringify(climbs),
    repeats: rung.kind === 'repeat' ? 1 : 0,
    pages,
    seconds: pageDeadlineSeconds[due.severity],
    waits: rung.kind === 'wait',
  });
  const [stepped] = await work.rows(taken);
  // Who rests or waits looks the same as before.
  if (!pages) return;
  await pageContacts(work, org!, stepped!, contacts);
  await scheduleSweep(work, due.orgId, [due.id]);
  await tell(work, rung, stepped!);
}

async function tell(work: Work, { kind }: Rung, stepped: Escalation): Promise<void> {
  await writeSystemAudit(work.client, work, 'deadline_lapsed', [
    {
      orgId: stepped.orgId,
      action: 'escalation.paged',
      object: { kind: 'escalation', id: stepped.id },
      details: { step: kind, level: stepped.level, wave: stepped.waves },
    },
  ]);
  work.append(escalationChanged(stepped));
}

/**
 * Frees the mails of pages whose job a vanished node still has: the queue itself would believe in it for hours, and
 * housekeeping for ten minutes. Whether the node lives is not known and does not matter: a mail is sent by whoever has
 * its lease, and one under a lease is left alone. A job that is freed has lost its key, so that it is freed once.
 */
const freePagesStatement = statement(
  'escalations.free-pages',
  { params: { task: typed<string>('text') }, row: { key: computed<string>('text', sql`freed.key`) } },
  ({ task }, row) => sql`select ${row} from (
    select (graphile_worker.add_job(
      ${task}, json_build_object('mailId', ${mailOutbox.id}), job_key => ${mailOutbox.id})).key
    from graphile_worker._private_jobs j join ${mailOutbox} on ${mailOutbox.id} = j.key
    where j.locked_at < now() - interval '1 minute' and ${mailOutbox.state} = 'queued'
      and (${mailOutbox.leaseUntil} is null or ${mailOutbox.leaseUntil} < now())
      and exists (select from ${escalationPages}
        where ${escalationPages.orgId} = ${mailOutbox.orgId} and ${escalationPages.mailId} = ${mailOutbox.id})
  ) freed`,
);

const anyDueStatement = statement(
  'escalations.any-due',
  { row: pick(escalations, 'id') },
  (_, row) => sql`select ${row} from ${escalations} where ${escalations.dueAt} <= now() limit 1`,
);

// An answer holds the row, which is left alone: afterwards it is due no more. Rows that refer to it do not hold it.
const takeStatement = statement(
  'escalations.take-due',
  {
    params: { failed: typed<readonly string[]>('uuid[]') },
    row: { ...allOf(escalations), takenAt: computed<Date>('timestamp with time zone', sql`now()`) },
  },
  ({ failed }, row) => sql`select ${row} from ${escalations}
    where ${escalations.dueAt} <= now() and ${escalations.id} <> all(${failed}::uuid[])
    order by ${escalations.dueAt} limit 1 for no key update skip locked`,
);

const orgStatement = statement(
  'escalations.hold-org',
  { params: pick(orgs, 'id'), row: pick(orgs, 'id', 'displayName') },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id} for share`,
);

const stepStatement = statement(
  'escalations.step',
  {
    params: {
      ...pick(escalations, 'orgId', 'id', 'level', 'climbs'),
      repeats: typed<number>('integer'),
      pages: typed<boolean>('boolean'),
      seconds: typed<number>('double precision'),
      waits: escalations.awaitsContact,
    },
    row: allOf(escalations),
  },
  ({ orgId, id, level, climbs, repeats, pages, seconds, waits }, row) => {
    const deadline = sql`now() + make_interval(secs => ${seconds})`;
    return sql`update ${escalations} ${setOf(escalations, {
      level,
      climbs: sql`${escalations.climbs} || ${climbs}::jsonb`,
      repageCount: sql`${escalations.repageCount} + ${repeats}`,
      waves: sql`${escalations.waves} + case when ${pages}::boolean then 1 else 0 end`,
      deadlineAt: sql`case when ${pages} then ${deadline} else ${escalations.deadlineAt} end`,
      dueAt: sql`case when ${pages} then ${deadline} end`,
      awaitsContact: waits,
    })} where ${escalations.orgId} = ${orgId} and ${escalations.id} = ${id} returning ${row}`;
  },
);
