import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import {
  type Escalation,
  type EscalationContact,
  escalationContacts,
  escalationPages,
  escalations,
} from '../../../db/schema/escalations.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { allOf, computed, insertSelect, pick, statement, typed } from '../../../db/sql.ts';
import { queueMail } from '../../../kernel/durability/outbox.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { ackLinkDays } from '../../../kernel/limits/limits.ts';
import { pageMail } from '../page-mail.ts';

/** The job that does what the ladder has due. */
export const sweepTask = 'sweep-escalations';

/** An organization's contacts in the order in which they are paged. */
export const contactsOf = ({ rows }: { readonly rows: Work['rows'] }, orgId: string): Promise<EscalationContact[]> =>
  rows(contactsStatement.with({ orgId }));

/** The levels at which there is somebody, lowest first. */
export const staffedLevels = (contacts: readonly EscalationContact[]): readonly number[] =>
  [...new Set(contacts.map(({ level }) => level))].sort((left, right) => left - right);

/**
 * Writes the pages of the wave that the escalation has just begun, one for each contact of its level, with the mails
 * that carry them: in the transaction that begins the wave, so that each is there once or not at all.
 */
export async function pageContacts(
  work: Work,
  org: Pick<Org, 'id' | 'displayName'>,
  escalation: Escalation,
  contacts: readonly EscalationContact[],
): Promise<void> {
  const paged = contacts.filter(({ level }) => level === escalation.level);
  const tokens = paged.map(() => randomBytes(32).toString('base64url'));
  const mailIds: string[] = [];
  for (const [at, contact] of paged.entries()) {
    mailIds.push(await queueMail(work, pageMail(work.services.settings, org, escalation, contact, tokens[at]!)));
  }
  const pages = insertStatement.with({
    orgId: org.id,
    escalationId: escalation.id,
    wave: escalation.waves,
    level: escalation.level,
    days: ackLinkDays,
    contactIds: paged.map(({ id }) => id),
    emails: paged.map(({ email }) => email),
    names: paged.map(({ displayName }) => displayName),
    tokenHashes: tokens.map(sha256Hex),
    mailIds,
  });
  await work.rows(pages);
}

/** Has the ladder looked at when something of these is due, which is reckoned by the database's clock alone. */
export async function scheduleSweep(work: Work, orgId: string, ids: readonly string[]): Promise<void> {
  await work.rows(scheduleStatement.with({ task: sweepTask, orgId, ids }));
}

const contactsStatement = statement(
  'escalations.contacts',
  { params: pick(escalationContacts, 'orgId'), row: allOf(escalationContacts) },
  ({ orgId }, row) => sql`select ${row} from ${escalationContacts} where ${escalationContacts.orgId} = ${orgId}
    order by ${escalationContacts.level}, ${escalationContacts.createdAt}, ${escalationContacts.id}`,
);

const texts = typed<readonly string[]>('text[]');

const insertStatement = statement(
  'escalations.page',
  {
    params: {
      ...pick(escalationPages, 'orgId', 'escalationId', 'wave', 'level'),
      days: typed<number>('integer'),
      contactIds: typed<readonly string[]>('uuid[]'),
      emails: texts,
      names: typed<readonly (string | null)[]>('text[]'),
      tokenHashes: texts,
      mailIds: texts,
    },
  },
  ({ days, contactIds, emails, names, tokenHashes, mailIds, ...given }) =>
    insertSelect(
      escalationPages,
      {
        ...given,
        tokenExpiresAt: sql`now() + make_interval(days => ${days})`,
        contactId: sql`page.contact_id`,
        email: sql`page.email`,
        displayName: sql`page.display_name`,
        tokenHash: sql`page.token_hash`,
        mailId: sql`page.mail_id`,
      },
      sql`from unnest(${contactIds}::uuid[], ${emails}::text[], ${names}::text[], ${tokenHashes}::text[], ${mailIds}::text[])
        as page (contact_id, email, display_name, token_hash, mail_id)`,
    ),
);

// The key is the escalation's: a later deadline takes the place of an earlier one.
const scheduleStatement = statement(
  'escalations.schedule',
  {
    params: { task: typed<string>('text'), orgId: escalations.orgId, ids: typed<readonly string[]>('uuid[]') },
    row: { scheduled: computed<number>('integer', sql`count(job)::int`) },
  },
  ({ task, orgId, ids }, row) => sql`select ${row} from (
      select graphile_worker.add_job(${task}, run_at => ${escalations.dueAt}, job_key => 'escalation:' || ${escalations.id})
        as job
      from ${escalations} where ${escalations.orgId} = ${orgId} and ${escalations.id} = any(${ids}::uuid[])
        and ${escalations.dueAt} is not null
    ) scheduled`,
);
