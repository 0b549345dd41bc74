import { alias, sql } from '../../../db/drizzle.ts';
import { operatorContactChallenges, operatorContacts } from '../../../db/schema/operator-contacts.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { mailOutbox } from '../../../db/schema/platform.ts';
import { computed, from, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { contactMails } from '../../../kernel/limits/limits.ts';
import { operatorContactEvents } from '../event-types.ts';

/**
 * Tells the organizations whose operator waits for a mail that was given up: the address of the contact was not
 * verified by it, and nobody may be reachable. Told once for each mail; of any other mail there is nothing to tell.
 */
export async function notifyUndelivered(work: Work, mailId: string): Promise<void> {
  for (const { orgId, attempts, ofHour } of await work.rows(waitingStatement.with({ mailId })))
    work.append(
      appendEvent({
        orgId,
        projectId: null,
        type: operatorContactEvents.verification_failed,
        payload: {
          subject: 'contact_email',
          reason: 'undeliverable',
          attempt_count: attempts,
          remaining_attempts: Math.max(0, contactMails.perHour - ofHour),
        },
        onceKey: `contact-mail:${mailId}`,
      }),
    );
}

const tried = alias(operatorContactChallenges, 'tried');

// Owners answer for their organizations. A contact that has another address by now, or was verified by another mail,
// waits for none.
const waitingStatement = statement(
  'operator.undelivered',
  {
    params: { mailId: mailOutbox.id },
    row: {
      orgId: memberships.orgId,
      /** How often the address was tried. */
      attempts: computed<number>('integer', sql`tries.attempts`),
      ofHour: computed<number>('integer', sql`tries.of_hour`),
    },
  },
  ({ mailId }, row) => sql`select ${row} from ${mailOutbox}
    join ${operatorContactChallenges} on ${operatorContactChallenges.email} = ${mailOutbox.recipient}
      and ${operatorContactChallenges.mailId} = ${mailOutbox.id} and ${operatorContactChallenges.usedAt} is null
    join ${operatorContacts} on ${operatorContacts.principalId} = ${operatorContactChallenges.principalId}
      and ${operatorContacts.email} = ${operatorContactChallenges.email} and ${operatorContacts.emailVerifiedAt} is null
    join ${memberships} on ${memberships.principalId} = ${operatorContactChallenges.principalId}
      and ${memberships.role} = 'owner' and ${memberships.status} = 'active'
    cross join lateral (
      select count(*)::int as attempts,
        count(*) filter (where ${tried.createdAt} > clock_timestamp() - interval '1 hour')::int as of_hour
      from ${from(tried)} where ${tried.principalId} = ${operatorContactChallenges.principalId}
        and ${tried.email} = ${operatorContactChallenges.email}
    ) tries
    where ${mailOutbox.id} = ${mailId} and ${mailOutbox.state} = 'failed'
    order by ${memberships.orgId}`,
);
