import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { passkeys } from '../../db/schema/sign-in-flows.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import { mutation, query } from '../../kernel/run/operation.ts';
import { label, registrationResponse } from '../auth/shared/passkeys/passkey-input.ts';
import { type MailedLink, peekLink, useLink } from '../sessions/shared/mailed-links.ts';
import {
  askRegistration,
  checkMade,
  keepPasskey,
  type MadePasskey,
  OptionsWire,
} from '../sessions/shared/passkey-challenges.ts';
import { findContact, lockContact } from './shared/contact.ts';

const token = z.string().min(1).max(256).meta({ secret: true }).describe('What the mailed link brought along.');

const badLink = () => new ServiceError('INVALID_AUTH', { details: { reason: 'link_invalid' } });

/** `POST /agent/v1/contact/passkey/register/options`. Contract 04, section 3.6. */
export const beginContactEnrolment = query({
  name: 'contact.beginEnrol',
  summary: 'What a browser is to ask an authenticator for, to enrol the passkey of an operator contact.',
  access: anyone(),
  input: z.object({
    token,
    app_origin: z.string().max(2_048).optional().describe('Accepted from old clients: passkeys are this server’s.'),
  }),
  async handler(ctx, { token: given }) {
    const link = await peekLink(ctx, given, ['contact_passkey']);
    if (link === undefined) throw badLink();
    const principalId = link.principalId!;
    // The challenge belongs to this link: another one's answer is refused.
    const ceremony = { purpose: 'contact_enroll', subject: sha256Hex(given) } as const;
    return askRegistration(ctx, ceremony, { handle: `contact:${principalId}`, name: link.email, principalId });
  },
  wire: OptionsWire,
  toWire: ({ options }) => ({ options }),
});

interface Bound {
  readonly id: string;
  readonly principalId: string;
  readonly credentialId: string;
  readonly boundAt: Date;
}

/** `POST /agent/v1/contact/passkey/register/verify`: the link is good once. */
export const finishContactEnrolment = mutation({
  name: 'contact.enrol',
  summary: 'Bind a passkey to an operator contact, by the link that was mailed to its address.',
  access: anyone(),
  input: z.object({
    token,
    challenge_id: z.string().max(64).optional().describe('Accepted from old clients: the answer names its challenge.'),
    response: registrationResponse,
    label: label.optional(),
  }),
  prepare: (ctx, { response }) => checkMade(ctx, response, { purpose: 'contact_enroll' }),
  async handler(work, { token: given, label: called }, made: MadePasskey): Promise<Bound> {
    if (made.subject !== sha256Hex(given)) throw badLink();
    const link: MailedLink | undefined = await useLink(work, given, ['contact_passkey']);
    if (link === undefined) throw badLink();
    const principalId = link.principalId!;
    await lockContact(work, principalId);
    const contact = await findContact(work, principalId);
    // It may have another address by now, which this link says nothing of.
    if (contact === undefined || contact.email !== link.email || contact.emailVerifiedAt === null) throw badLink();
    const id = await keepPasskey(work, { ...made, principalId, use: 'contact', label: called });
    const [bound] = await work.rows(bindStatement.with({ principalId, id }));
    return { id, principalId, credentialId: made.made.credentialId.toString('base64url'), boundAt: bound!.boundAt };
  },
  audit: ({ principalId, id }) => ({
    action: 'operator_contact.passkey_bound',
    object: { kind: 'principal', id: principalId },
    details: { passkey_id: id },
  }),
  wire: z.object({
    passkey_id: z.string(),
    credential_id: z.string(),
    passkey_binding_status: z.literal('verified'),
    passkey_bound_at: z.iso.datetime(),
  }),
  toWire: ({ id, credentialId, boundAt }) => ({
    passkey_id: id,
    credential_id: credentialId,
    passkey_binding_status: 'verified' as const,
    passkey_bound_at: boundAt.toISOString(),
  }),
});

// One is active: an earlier one of the contact is over.
const bindStatement = statement(
  'contact.bind-passkey',
  {
    params: pick(passkeys, 'principalId', 'id'),
    row: { boundAt: computed<Date>('timestamp with time zone', sql`${operatorContacts.passkeyBoundAt}`) },
  },
  ({ principalId, id }, row) => sql`with earlier as (
      update ${passkeys} ${setOf(passkeys, { revokedAt: sql`clock_timestamp()` })}
      where ${passkeys.principalId} = ${principalId} and ${passkeys.use} = 'contact' and ${passkeys.id} <> ${id}::uuid
        and ${passkeys.revokedAt} is null
    )
    update ${operatorContacts} ${setOf(operatorContacts, {
      passkeyBoundAt: sql`clock_timestamp()`,
      passkeyPendingAt: sql`null`,
      activePasskeyId: sql`${id}::uuid::text`,
      updatedAt: sql`clock_timestamp()`,
    })} where ${operatorContacts.principalId} = ${principalId} returning ${row}`,
);
