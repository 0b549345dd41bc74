import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import { type EscalationContact, escalationContacts } from '../../db/schema/escalations.ts';

/** A contact, with whether its address is known to work. */
export interface ContactRow extends EscalationContact {
  readonly verified: boolean;
}

/** Contract 02, section 3.6. */
export const ContactWire = z.object({
  contact_id: z.uuid(),
  email: z.string(),
  display_name: z.string().nullable(),
  level: z.int(),
  created_at: z.iso.datetime(),
  warnings: z.array(z.string()).optional(),
});

/** What there is to say against a contact, which is paged all the same. */
export const contactWarnings = ({ verified, email }: ContactRow): string[] =>
  verified ? [] : [`nobody has verified that ${email} is read`];

export function contactToWire(contact: ContactRow): z.infer<typeof ContactWire> {
  const warnings = contactWarnings(contact);
  return {
    contact_id: contact.id,
    email: contact.email,
    display_name: contact.displayName,
    level: contact.level,
    created_at: contact.createdAt.toISOString(),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Columns of a {@link ContactRow} of the row `c`. */
export const contactRowColumns = `${columnsOf(escalationContacts, 'c')},
  exists (
    select from authenticators a where a.kind = 'email' and a.public_subject = c.email
      and a.verified_at is not null and a.revoked_at is null
  ) or exists (
    select from operator_contacts o where o.email = c.email and o.email_verified_at is not null
  ) as verified`;
