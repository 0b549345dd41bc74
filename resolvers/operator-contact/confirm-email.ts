import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { operatorContactChallenges, operatorContacts } from '../../db/schema/operator-contacts.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';

export interface ConfirmedEmail {
  readonly principalId: string;
  readonly email: string;
  readonly verifiedAt: Date;
}

/** `POST /agent/v1/contact/verify-email/confirm`: what the mailed link leads to. Contract 02, section 5.1. */
export const confirmEmail = mutation({
  name: 'operator.confirmEmail',
  tool: 'confirm_agent_contact_email',
  command: 'agent confirm-email',
  effects: ['idempotent'],
  summary: 'Verify the address of an operator contact by the link that was mailed to it; it is good once.',
  access: anyone(),
  input: z.object({
    token: z.string().min(1).max(256).meta({ secret: true }).describe('What the mailed link brought along.'),
  }),
  async handler(work, { token }): Promise<ConfirmedEmail> {
    // Of those who race one uses it up; the others wait for its row and find it used.
    const [used] = await work.rows(useStatement.with({ tokenHash: sha256Hex(token) }));
    const [confirmed] = used === undefined ? [] : await work.rows(confirmStatement.with(used));
    if (confirmed === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'This link is good no more.' });
    return confirmed;
  },
  audit: ({ principalId, email }) => ({
    action: 'operator_contact.email_verified',
    object: { kind: 'principal', id: principalId },
    details: { email },
  }),
  wire: z.object({
    email: z.string(),
    email_verification_status: z.literal('verified'),
    email_verified_at: z.iso.datetime(),
  }),
  toWire: ({ email, verifiedAt }) => ({
    email,
    email_verification_status: 'verified' as const,
    email_verified_at: verifiedAt.toISOString(),
  }),
});

const useStatement = statement(
  'operator.use-challenge',
  {
    params: pick(operatorContactChallenges, 'tokenHash'),
    row: pick(operatorContactChallenges, 'principalId', 'email', 'mailId'),
  },
  ({ tokenHash }, row) =>
    sql`update ${operatorContactChallenges} ${setOf(operatorContactChallenges, { usedAt: sql`clock_timestamp()` })}
      where ${operatorContactChallenges.tokenHash} = ${tokenHash} and ${operatorContactChallenges.usedAt} is null
        and ${operatorContactChallenges.expiresAt} > clock_timestamp()
      returning ${row}`,
);

// The contact may have another address by now, which this link says nothing of.
const confirmStatement = statement(
  'operator.confirm-email',
  {
    params: {
      principalId: operatorContacts.principalId,
      email: typed<string>('text'),
      mailId: operatorContacts.emailVerifiedMessageId,
    },
    row: {
      principalId: operatorContacts.principalId,
      email: computed<string>('text', sql`${operatorContacts.email}`),
      verifiedAt: computed<Date>('timestamp with time zone', sql`${operatorContacts.emailVerifiedAt}`),
    },
  },
  ({ principalId, email, mailId }, row) => sql`update ${operatorContacts} ${setOf(operatorContacts, {
    emailVerifiedAt: sql`coalesce(${operatorContacts.emailVerifiedAt}, clock_timestamp())`,
    emailVerifiedMessageId: sql`coalesce(${operatorContacts.emailVerifiedMessageId}, ${mailId})`,
    updatedAt: sql`clock_timestamp()`,
  })} where ${operatorContacts.principalId} = ${principalId} and ${operatorContacts.email} = ${email}
    returning ${row}`,
);
