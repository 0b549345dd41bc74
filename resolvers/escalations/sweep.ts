import type { Statement } from '../../db/pool.ts';
import type { Climb, Escalation } from '../../db/schema/escalations.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { pageDeadlineSeconds } from '../../kernel/limits/limits.ts';
import type { Task } from '../../kernel/run/task.ts';
import { escalationChanged } from './escalation-feed.ts';
import { escalationColumns } from './escalation-scope.ts';
import { nextRung, type Rung } from './ladder.ts';
import { contactsOf, pageContacts, scheduleSweep, staffedLevels } from './shared/page-level.ts';

type DueEscalation = Escalation & { /** By the database's clock. */ readonly takenAt: Date };

/**
 * Frees pages that a vanished node had in hand, and takes every escalation that is due by the database's clock a step up the ladder, each in a transaction of its own. May
 * run on many nodes at once, whatever their clocks say: what one has in hand the others pass by.
 */
export const sweepEscalations: Task = async ({ ctx }) => {
  await ctx.services.db.rows(freePagesStatement, [sendMailTask]);
  // Nearly always nothing is due, and that is one look.
  if ((await ctx.services.db.rows(anyDueStatement, [])).length === 0) return;
  const failed: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (;;) {
    ctx.signal.throwIfAborted();
    let taken: string | undefined;
    try {
      const found = await unitOfWork(ctx, async (work) => {
        const [due] = await work.rows<DueEscalation>(takeStatement, [failed]);
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
  const [org] = await work.rows<Pick<Org, 'id' | 'displayName'>>(orgStatement, [due.orgId]);
  const contacts = await contactsOf(work, due.orgId);
  const rung = nextRung(due, staffedLevels(contacts));
  const pages = 'level' in rung;
  const climbs: readonly Climb[] =
    rung.kind === 'climb'
      ? [{ from_level: due.level, to_level: rung.level, at: due.takenAt.toISOString(), reason: 'deadline_lapsed' }]
      : [];
  const [stepped] = await work.rows<Escalation>(stepStatement, [
    due.orgId,
    due.id,
    pages ? rung.level : due.level,
    JSON.stringify(climbs),
    rung.kind === 'repeat' ? 1 : 0,
    pages,
    pageDeadlineSeconds[due.severity],
    rung.kind === 'wait',
  ]);
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
const freePagesStatement: Statement = {
  name: 'escalations.free-pages',
  text: `select graphile_worker.add_job($1, json_build_object('mailId', m.id), job_key => m.id)
    from graphile_worker._private_jobs j join mail_outbox m on m.id = j.key
    where j.locked_at < now() - interval '1 minute' and m.state = 'queued'
      and (m.lease_until is null or m.lease_until < now())
      and exists (select from escalation_pages p where p.org_id = m.org_id and p.mail_id = m.id)`,
};

const anyDueStatement: Statement = {
  name: 'escalations.any-due',
  text: 'select 1 as "escalationIsDue" from escalations where due_at <= now() limit 1',
};

// Whoever answers one holds its row and is left alone: afterwards it is due no more. Rows that refer to it do not.
const takeStatement: Statement = {
  name: 'escalations.take-due',
  text: `select ${escalationColumns}, now() as "takenAt" from escalations e
    where e.due_at <= now() and e.id <> all($1::uuid[])
    order by e.due_at limit 1 for no key update skip locked`,
};

const orgStatement: Statement = {
  name: 'escalations.hold-org',
  text: `select id, display_name as "displayName" from orgs where id = $1 for share`,
};

const stepStatement: Statement = {
  name: 'escalations.step',
  text: `update escalations e set level = $3, climbs = e.climbs || $4::jsonb, repage_count = e.repage_count + $5,
      waves = e.waves + case when $6::boolean then 1 else 0 end,
      deadline_at = case when $6 then now() + make_interval(secs => $7) else e.deadline_at end,
      due_at = case when $6 then now() + make_interval(secs => $7) end,
      awaits_contact = $8
    where e.org_id = $1 and e.id = $2
    returning ${escalationColumns}`,
};
