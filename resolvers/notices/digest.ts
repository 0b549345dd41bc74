import { sql } from '../../db/drizzle.ts';
import { jsonList, jsonObject } from '../../db/json.ts';
import { events } from '../../db/partitioned/events.ts';
import { escalations } from '../../db/schema/escalations.ts';
import { noticePreferences, usageThresholds } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { computed, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { titleOf } from '../../kernel/feeds/event-types.ts';
import type { ServiceSettings } from '../../kernel/run/context.ts';
import type { Task } from '../../kernel/run/task.ts';
import { nextDigest } from './digest-time.ts';
import { footer } from './event-mail.ts';
import { findPreferences } from './preferences.ts';
import { type Recipient, recipientItself } from './recipients.ts';
import { momentFor, nameOfOrg } from './shared/event-text.ts';
import { type Fact, tell } from './tell.ts';

/** The job that mails the summaries that have come due. */
export const mailDigestsTask = 'mail_digests';

/** Mails each summary that is due, in a transaction of its own. Nothing is mailed where nothing has happened. */
export const mailDigests: Task = async ({ ctx }) => {
  await ctx.services.db.rows(beginStatement.with({}));
  for (;;) {
    ctx.signal.throwIfAborted();
    const found = await unitOfWork(ctx, async (work) => {
      const [due] = await work.rows(takeStatement.with({}));
      if (due !== undefined) await mailOne(work, due);
      return due !== undefined;
    });
    if (!found) return;
  }
};

type Due = Pick<typeof noticePreferences.$inferSelect, 'principalId' | 'digestedAt'>;

async function mailOne(work: Work, { principalId, digestedAt: since }: Due): Promise<void> {
  const now = work.services.now();
  const wanted = await findPreferences(work.rows, principalId);
  const digestDueAt = nextDigest(wanted, now);
  await work.rows(doneStatement.with({ principalId, digestDueAt }));
  const [recipient] = await work.rows(recipientItself.with({ principalId }));
  const found = await work.rows(summaryStatement.with({ principalId, since }));
  const summaries = found.filter((one) => isWorthTelling(one));
  if (recipient?.address == null || summaries.length === 0) return;
  const period = { from: since.toISOString(), to: now.toISOString() };
  const fact: Fact = {
    fact: `digest:${principalId}:${since.toISOString()}`,
    kind: 'digest',
    type: 'digest',
    class: 'lifecycle',
    orgId: null,
    projectId: null,
    occurredAt: now,
    payload: { ...period, organizations: summaries.map(toPayload) },
    nextActions: [],
  };
  await tell(work, fact, [recipient], {
    urgency: 'ordinary',
    mailFor: (reader) => digestMail(summaries, { since, now }, work.services.settings, reader),
  });
}

const isWorthTelling = ({ counts, openEscalations, thresholds }: Summary) =>
  counts.length > 0 || openEscalations > 0 || thresholds.length > 0;

const toPayload = ({ orgId, counts, openEscalations, thresholds }: Summary) => ({
  organization_id: orgId,
  events: Object.fromEntries(counts.map(({ type, count }) => [type, count])),
  open_escalations: openEscalations,
  thresholds,
});

function digestMail(
  summaries: readonly Summary[],
  { since, now }: { readonly since: Date; readonly now: Date },
  settings: Pick<ServiceSettings, 'mailBaseUrl'>,
  reader: Pick<Recipient, 'locale' | 'timezone'>,
) {
  const parts = summaries.map((one) =>
    [
      nameOfOrg(one),
      ...one.counts.map(({ type, count }) => `- ${titleOf(type)}: ${count}`),
      ...(one.openEscalations > 0 ? [`- Escalations that nobody looks at yet: ${one.openEscalations}`] : []),
      ...one.thresholds.map(({ resource, level }) =>
        level === 'critical'
          ? `- The limit of ${resource.replaceAll('_', ' ')} is reached`
          : `- The limit of ${resource.replaceAll('_', ' ')} comes near`,
      ),
    ].join('\n'),
  );
  return {
    subject:
      summaries.length === 1 ? `What happened in ${nameOfOrg(summaries[0]!)}` : 'What happened in your organizations',
    text: [
      `From ${momentFor(reader, since)} to ${momentFor(reader, now)}:`,
      ...parts.flatMap((part) => ['', part]),
      '',
      footer(settings),
    ].join('\n'),
  };
}

const summaryRow = {
  orgId: computed<string>('text', sql`${orgs.id}::text`),
  orgName: computed<string | null>('text', sql`${orgs.displayName}`),
  /** What the platform told of in the time, most often first. */
  counts: jsonList(
    jsonObject({
      type: computed<string>('text', sql`told.type`),
      count: computed<number>('integer', sql`told.count`),
    }),
    sql`from (select ${events.type} as type, count(*)::int as count from ${events}
      where ${events.orgId} = ${orgs.id} and ${events.source} = 'platform' and ${events.class} <> 'coordination'
        and ${events.occurredAt} > asked.since
      group by 1) told`,
    sql`told.count desc, told.type`,
  ),
  openEscalations: computed<number>(
    'integer',
    sql`(select count(*)::int from ${escalations}
      where ${escalations.orgId} = ${orgs.id} and ${escalations.status} = 'open')`,
  ),
  thresholds: jsonList(
    jsonObject(pick(usageThresholds, 'resource', 'level')),
    sql`from ${usageThresholds} where ${usageThresholds.orgId} = ${orgs.id}`,
    sql`${usageThresholds.resource}`,
  ),
};
type Summary = RowOf<typeof summaryRow>;

const summaryStatement = statement(
  'notices.summary',
  {
    params: { principalId: memberships.principalId, since: typed<Date>('timestamp with time zone') },
    row: summaryRow,
  },
  ({ principalId, since }, row) => sql`select ${row} from (select ${since}::timestamptz as since) asked
    join ${memberships} on ${memberships.principalId} = ${principalId} and ${memberships.status} = 'active'
      and ${memberships.role} in ('owner', 'admin')
    join ${orgs} on ${orgs.id} = ${memberships.orgId} and ${orgs.lifecycleState} <> 'purged'
    order by ${orgs.createdAt}, ${orgs.id}`,
);

// Whoever has a verified address, and has said nothing yet, gets its first summary in a week or less.
const beginStatement = statement(
  'notices.begin-digests',
  {},
  () => sql`insert into ${noticePreferences} (principal_id, digest_due_at)
    select ${operatorContacts.principalId}, date_trunc('week', now() at time zone 'UTC') at time zone 'UTC'
      + interval '7 days 9 hours'
    from ${operatorContacts} where ${operatorContacts.emailVerifiedAt} is not null
      and not exists (select from ${noticePreferences}
        where ${noticePreferences.principalId} = ${operatorContacts.principalId})
    on conflict do nothing`,
);

const takeStatement = statement(
  'notices.take-digest',
  { row: pick(noticePreferences, 'principalId', 'digestedAt') },
  (_none, row) => sql`select ${row} from ${noticePreferences} where ${noticePreferences.digestDueAt} <= now()
    order by ${noticePreferences.digestDueAt} limit 1 for update skip locked`,
);

const doneStatement = statement(
  'notices.digest-done',
  { params: pick(noticePreferences, 'principalId', 'digestDueAt') },
  ({ principalId, digestDueAt }) => sql`update ${noticePreferences}
    ${setOf(noticePreferences, { digestDueAt, digestedAt: sql`now()` })}
    where ${noticePreferences.principalId} = ${principalId}`,
);
