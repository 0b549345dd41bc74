import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
import type { OperatorContact } from '../../db/schema/operator-contacts.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { contactLinkHours, contactMails } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import { operatorContactColumns } from './shared/contact.ts';

/** Where the mailed link leads: to a page that asks for a confirming click. */
export const confirmPath = '/agent/v1/contact/verify-email/confirm';

/**
 * Mails a link that verifies the address of a contact, and notes it; the caller holds the contact's lock. Both whoever
 * asks and the address have an allowance: anybody can name an address that is not theirs.
 *
 * @throws RATE_LIMITED
 */
export async function sendChallenge(work: Work, principalId: string, email: string): Promise<OperatorContact> {
  // Principals who name the same address wait for each other.
  await work.rows(lockAddressStatement, [email]);
  const [sent] = await work.rows<{ wait: number }>(waitStatement, [
    principalId,
    email,
    contactMails.perHour,
    contactMails.pauseSeconds,
  ]);
  assertWithinRate(Math.max(0, Math.ceil(sent!.wait)));
  const token = randomBytes(32).toString('base64url');
  const { mailBaseUrl } = work.services.settings;
  const mailId = await queueMail(work, {
    orgId: null,
    to: email,
    subject: 'Confirm that notices may be sent to this address',
    text: [
      `Somebody (${principalId}) named this address for notices about what they run.`,
      '',
      'If that was you, open this page and confirm:',
      `${mailBaseUrl}${confirmPath}?token=${token}`,
      '',
      `The link is good once, for ${contactLinkHours} hours. If it was not you, nothing needs to be done.`,
    ].join('\n'),
  });
  await work.rows(insertStatement, [randomUUID(), principalId, email, sha256Hex(token), mailId, contactLinkHours]);
  const [noted] = await work.rows<OperatorContact>(noteStatement, [principalId]);
  return noted!;
}

const lockAddressStatement: Statement = {
  name: 'operator.lock-address',
  text: `select pg_advisory_xact_lock(hashtextextended('operator-contact:' || $1, 0))`,
};

// Seconds until the hour's oldest mail is an hour old, where it has as many as it may; and until the pause is over.
const waitStatement: Statement = {
  name: 'operator.challenge-wait',
  text: `with recent as (
      select principal_id = $1 as own, email = $2 as same, extract(epoch from clock_timestamp() - created_at) as age
      from operator_contact_challenges
      where (principal_id = $1 or email = $2) and created_at > clock_timestamp() - interval '1 hour'
    )
    select greatest(
      0,
      (select 3600 - max(age) from recent where own having count(*) >= $3),
      (select 3600 - max(age) from recent where same having count(*) >= $3),
      (select $4 - min(age) from recent where own and same)
    )::float8 as wait`,
};

const insertStatement: Statement = {
  name: 'operator.challenge',
  text: `insert into operator_contact_challenges
      (id, principal_id, email, token_hash, mail_id, created_at, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + make_interval(hours => $6))`,
};

const noteStatement: Statement = {
  name: 'operator.challenge-noted',
  text: `update operator_contacts c set email_challenge_sent_at = clock_timestamp(), updated_at = clock_timestamp()
    where c.principal_id = $1 returning ${operatorContactColumns}`,
};
