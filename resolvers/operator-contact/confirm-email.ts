import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { Statement } from '../../db/pool.ts';
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
    const [used] = await work.rows<{ principalId: string; email: string; mailId: string }>(useStatement, [
      sha256Hex(token),
    ]);
    const [confirmed] =
      used === undefined
        ? []
        : await work.rows<ConfirmedEmail>(confirmStatement, [used.principalId, used.email, used.mailId]);
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

const useStatement: Statement = {
  name: 'operator.use-challenge',
  text: `update operator_contact_challenges set used_at = clock_timestamp()
    where token_hash = $1 and used_at is null and expires_at > clock_timestamp()
    returning principal_id as "principalId", email, mail_id as "mailId"`,
};

// The contact may have another address by now, which this link says nothing of.
const confirmStatement: Statement = {
  name: 'operator.confirm-email',
  text: `update operator_contacts set email_verified_at = coalesce(email_verified_at, clock_timestamp()),
      email_verified_message_id = coalesce(email_verified_message_id, $3), updated_at = clock_timestamp()
    where principal_id = $1 and email = $2
    returning principal_id as "principalId", email, email_verified_at as "verifiedAt"`,
};
