import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/keys.ts';
import { advisoryLock } from '../../db/advisory-lock.ts';
import { sql } from '../../db/drizzle.ts';
import {
  type OperatorContact,
  operatorContactChallenges,
  operatorContacts,
} from '../../db/schema/operator-contacts.ts';
import { allOf, computed, insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { contactLinkHours, contactMails } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';

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
  await work.rows(advisoryLock.with({ key: `operator-contact:${email}` }));
  const asked = { principalId, email, perHour: contactMails.perHour, pauseSeconds: contactMails.pauseSeconds };
  const [sent] = await work.rows(waitStatement.with(asked));
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
  const challenge = { id: randomUUID(), principalId, email, tokenHash: sha256Hex(token), mailId };
  await work.rows(insertStatement.with({ ...challenge, hours: contactLinkHours }));
  const [noted] = await work.rows(noteStatement.with({ principalId }));
  return noted!;
}

// Seconds until the hour's oldest mail is an hour old, where it has as many as it may; and until the pause is over.
const waitStatement = statement(
  'operator.challenge-wait',
  {
    params: {
      ...pick(operatorContactChallenges, 'principalId', 'email'),
      perHour: typed<number>('bigint'),
      pauseSeconds: typed<number>('numeric'),
    },
    row: { wait: computed<number>('double precision', sql`limits.wait`) },
  },
  ({ principalId, email, perHour, pauseSeconds }, row) => sql`with recent as (
      select ${operatorContactChallenges.principalId} = ${principalId} as own,
        ${operatorContactChallenges.email} = ${email} as same,
        extract(epoch from clock_timestamp() - ${operatorContactChallenges.createdAt}) as age
      from ${operatorContactChallenges}
      where (${operatorContactChallenges.principalId} = ${principalId} or ${operatorContactChallenges.email} = ${email})
        and ${operatorContactChallenges.createdAt} > clock_timestamp() - interval '1 hour'
    ), limits as (
      select greatest(
        0,
        (select 3600 - max(age) from recent where own having count(*) >= ${perHour}),
        (select 3600 - max(age) from recent where same having count(*) >= ${perHour}),
        (select ${pauseSeconds} - min(age) from recent where own and same)
      )::float8 as wait
    )
    select ${row} from limits`,
);

const insertStatement = statement(
  'operator.challenge',
  {
    params: {
      ...pick(operatorContactChallenges, 'id', 'principalId', 'email', 'tokenHash', 'mailId'),
      hours: typed<number>('integer'),
    },
  },
  ({ hours, ...given }) =>
    insertInto(operatorContactChallenges, {
      ...given,
      createdAt: sql`clock_timestamp()`,
      expiresAt: sql`clock_timestamp() + make_interval(hours => ${hours})`,
    }),
);

const noteStatement = statement(
  'operator.challenge-noted',
  { params: pick(operatorContacts, 'principalId'), row: allOf(operatorContacts) },
  ({ principalId }, row) =>
    sql`update ${operatorContacts} ${setOf(operatorContacts, {
      emailChallengeSentAt: sql`clock_timestamp()`,
      updatedAt: sql`clock_timestamp()`,
    })} where ${operatorContacts.principalId} = ${principalId} returning ${row}`,
);
