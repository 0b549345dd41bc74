import type { Statement } from '../../../db/pool.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { contactMails } from '../../../kernel/limits/limits.ts';
import { operatorContactEvents } from '../event-types.ts';

/** An organization that hears of it, and how often the address was tried. */
interface Told {
  readonly orgId: string;
  readonly attempts: number;
  readonly ofHour: number;
}

/**
 * Tells the organizations whose operator waits for a mail that was given up: the address of the contact was not
 * verified by it, and nobody may be reachable. Told once for each mail; of any other mail there is nothing to tell.
 */
export async function tellUndelivered(work: Work, mailId: string): Promise<void> {
  for (const { orgId, attempts, ofHour } of await work.rows<Told>(waitingStatement, [mailId]))
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

// Owners answer for their organizations. A contact that has another address by now, or was verified by another mail,
// waits for none.
const waitingStatement: Statement = {
  name: 'operator.undelivered',
  text: `select m.org_id as "orgId", t.attempts, t.of_hour as "ofHour"
    from mail_outbox o
    join operator_contact_challenges c on c.email = o.recipient and c.mail_id = o.id and c.used_at is null
    join operator_contacts p on p.principal_id = c.principal_id and p.email = c.email and p.email_verified_at is null
    join memberships m on m.principal_id = c.principal_id and m.role = 'owner' and m.status = 'active'
    cross join lateral (
      select count(*)::int as attempts,
        count(*) filter (where a.created_at > clock_timestamp() - interval '1 hour')::int as of_hour
      from operator_contact_challenges a where a.principal_id = c.principal_id and a.email = c.email
    ) t
    where o.id = $1 and o.state = 'failed'
    order by m.org_id`,
};
