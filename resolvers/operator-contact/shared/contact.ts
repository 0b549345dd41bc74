import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { principals } from '../../../db/schema/identity.ts';
import { type OperatorContact, operatorContacts } from '../../../db/schema/operator-contacts.ts';
import { allOf, pick, statement } from '../../../db/sql.ts';
import type { PrincipalScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { contactMails } from '../../../kernel/limits/limits.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { walletOf } from '../../identity/shared/wallet-of.ts';

/** How far it is known that a human reads what is sent. Contract 02, section 5.0. */
export const assuranceLevels = [
  'wallet_only',
  'email_pending',
  'email_verified',
  'passkey_pending',
  'operator_passkey',
] as const;

export const contactStates = ['none', 'pending', 'verified'] as const;

/** A contact with the wallet that it is known by. */
export interface ShownContact {
  readonly wallet: string | null;
  readonly contact: OperatorContact;
}

export function assuranceOf({ email, emailVerifiedAt, passkeyBoundAt, passkeyPendingAt }: OperatorContact) {
  if (email === null) return 'wallet_only';
  if (emailVerifiedAt === null) return 'email_pending';
  if (passkeyBoundAt !== null) return 'operator_passkey';
  return passkeyPendingAt === null ? 'email_verified' : 'passkey_pending';
}

export const emailStateOf = ({ email, emailVerifiedAt }: OperatorContact) =>
  email === null ? 'none' : emailVerifiedAt === null ? 'pending' : 'verified';

export const passkeyStateOf = ({ passkeyBoundAt, passkeyPendingAt }: OperatorContact) =>
  passkeyBoundAt !== null ? 'verified' : passkeyPendingAt === null ? 'none' : 'pending';

/** Contract 02, section 5.1. */
export const OperatorContactWire = z
  .object({
    wallet: z.string().nullable(),
    name: z.string(),
    email: z.string().nullable(),
    webhook: z.string().nullable(),
    email_verification_status: z.enum(contactStates),
    passkey_binding_status: z.enum(contactStates),
    assurance_level: z.enum(assuranceLevels),
    email_verified_at: z.iso.datetime().nullable(),
    email_verified_message_id: z.string().nullable(),
    email_challenge_sent_at: z.iso.datetime().nullable(),
    passkey_bound_at: z.iso.datetime().nullable(),
    active_operator_passkey_id: z.string().nullable(),
    updated_at: z.iso.datetime(),
    verification_retry_after_seconds: z.int().optional(),
    enrollment_sent_to: z.string().optional(),
  })
  .meta({ id: 'OperatorContact' });

export function operatorContactToWire(
  { wallet, contact }: ShownContact,
  { services }: Context,
): z.infer<typeof OperatorContactWire> {
  const wait = retryAfter(contact, services.now());
  return {
    wallet,
    name: contact.name,
    email: contact.email,
    webhook: contact.webhook,
    email_verification_status: emailStateOf(contact),
    passkey_binding_status: passkeyStateOf(contact),
    assurance_level: assuranceOf(contact),
    email_verified_at: contact.emailVerifiedAt?.toISOString() ?? null,
    email_verified_message_id: contact.emailVerifiedMessageId,
    email_challenge_sent_at: contact.emailChallengeSentAt?.toISOString() ?? null,
    passkey_bound_at: contact.passkeyBoundAt?.toISOString() ?? null,
    active_operator_passkey_id: contact.activePasskeyId,
    updated_at: contact.updatedAt.toISOString(),
    ...(wait > 0 ? { verification_retry_after_seconds: wait } : {}),
  };
}

/** Seconds until another mail may be asked for, while one is waited for: a hint, the database decides. */
export function retryAfter(contact: OperatorContact, now: Date): number {
  if (emailStateOf(contact) !== 'pending' || contact.emailChallengeSentAt === null) return 0;
  const since = (now.getTime() - contact.emailChallengeSentAt.getTime()) / 1000;
  return Math.min(Math.ceil(contactMails.pauseSeconds - since), contactMails.pauseSeconds);
}

/** The caller's own contact, with its wallet. @throws RESOURCE_NOT_FOUND before one was named */
export async function showOwn(
  db: { readonly rows: Work['rows'] },
  { principal }: PrincipalScope,
): Promise<ShownContact> {
  const contact = await findContact(db, principal.principal.id);
  if (contact === undefined) {
    throw new ServiceError('RESOURCE_NOT_FOUND', {
      message: 'No contact has been named yet.',
      nextActions: [
        { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name whom notices go to.' },
      ],
    });
  }
  return { wallet: await walletOf(db, principal), contact };
}

export async function findContact(
  { rows }: { readonly rows: Work['rows'] },
  principalId: string,
): Promise<OperatorContact | undefined> {
  return (await rows(findStatement.with({ principalId })))[0];
}

/** Has everybody wait who would change the same principal's contact. */
export const lockContact = (work: Work, principalId: string) => work.rows(lockStatement.with({ id: principalId }));

const findStatement = statement(
  'operator.contact',
  { params: pick(operatorContacts, 'principalId'), row: allOf(operatorContacts) },
  ({ principalId }, row) => sql`select ${row} from ${operatorContacts}
    where ${operatorContacts.principalId} = ${principalId}`,
);

const lockStatement = statement(
  'operator.lock-contact',
  { params: pick(principals, 'id') },
  ({ id }) => sql`select from ${principals} where ${principals.id} = ${id} for no key update`,
);
