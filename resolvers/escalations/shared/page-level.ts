import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import { columnsOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type Escalation, type EscalationContact, escalationContacts } from '../../../db/schema/escalations.ts';
import type { Org } from '../../../db/schema/orgs.ts';
import { queueMail } from '../../../kernel/durability/outbox.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { ackLinkDays } from '../../../kernel/limits/limits.ts';
import { pageMail } from '../page-mail.ts';

/** The job that does what the ladder has due. */
export const sweepTask = 'sweep-escalations';

export const contactColumns = columnsOf(escalationContacts, 'c');

/** An organization's contacts in the order in which they are paged. */
export const contactsOf = ({ rows }: { readonly rows: Work['rows'] }, orgId: string): Promise<EscalationContact[]> =>
  rows<EscalationContact>(contactsStatement, [orgId]);

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
  await work.rows(insertStatement, [
    org.id,
    escalation.id,
    escalation.waves,
    escalation.level,
    ackLinkDays,
    paged.map(({ id }) => id),
    paged.map(({ email }) => email),
    paged.map(({ displayName }) => displayName),
    tokens.map(sha256Hex),
    mailIds,
  ]);
}

/** Has the ladder looked at when something of these is due, which is reckoned by the database's clock alone. */
export async function scheduleSweep(work: Work, orgId: string, ids: readonly string[]): Promise<void> {
  await work.rows(scheduleStatement, [sweepTask, orgId, ids]);
}

const contactsStatement: Statement = {
  name: 'escalations.contacts',
  text: `select ${contactColumns} from escalation_contacts c where c.org_id = $1
    order by c.level, c.created_at, c.id`,
};

const insertStatement: Statement = {
  name: 'escalations.page',
  text: `insert into escalation_pages
      (org_id, escalation_id, wave, level, token_expires_at, contact_id, email, display_name, token_hash, mail_id)
    select $1, $2, $3, $4, now() + make_interval(days => $5), p.* from
      unnest($6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[])
        as p (contact_id, email, display_name, token_hash, mail_id)`,
};

// The key is the escalation's: a later deadline takes the place of an earlier one.
const scheduleStatement: Statement = {
  name: 'escalations.schedule',
  text: `select graphile_worker.add_job($1, run_at => e.due_at, job_key => 'escalation:' || e.id)
    from escalations e where e.org_id = $2 and e.id = any($3::uuid[]) and e.due_at is not null`,
};
