import { ServiceError } from '../../../core/errors.ts';
import type { OperatorContact } from '../../../db/schema/operator-contacts.ts';
import type { PrincipalScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { assuranceOf, findContact, lockContact } from './contact.ts';

/**
 * Holds the contact of the caller, of whom it has to be known that a person with a passkey reads what is sent.
 *
 * @returns the contact
 * @throws OPERATOR_PASSKEY_REQUIRED, and OPERATOR_EMAIL_NOT_VERIFIED before an address is known to work
 */
export async function requirePasskey(work: Work & PrincipalScope): Promise<OperatorContact> {
  const { id } = work.principal.principal;
  await lockContact(work, id);
  const contact = await findContact(work, id);
  const assurance = contact === undefined ? 'wallet_only' : assuranceOf(contact);
  if (assurance === 'wallet_only' || assurance === 'email_pending')
    throw new ServiceError('OPERATOR_EMAIL_NOT_VERIFIED');
  if (assurance !== 'operator_passkey') throw new ServiceError('OPERATOR_PASSKEY_REQUIRED');
  return contact!;
}
