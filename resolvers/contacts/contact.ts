import { z } from 'zod';
import { alias, sql } from '../../db/drizzle.ts';
import { type EscalationContact, escalationContacts } from '../../db/schema/escalations.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { allOf, computed } from '../../db/sql.ts';

/** A contact, with whether its address is known to work. */
export interface ContactRow extends EscalationContact {
  readonly verified: boolean;
}

/** Contract 02, section 3.6. */
export const ContactWire = z
  .object({
    contact_id: z.uuid(),
    email: z.string(),
    display_name: z.string().nullable(),
    level: z.int(),
    created_at: z.iso.datetime(),
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'EscalationContact' });

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

/** The contact of a statement. */
export const contact = alias(escalationContacts, 'c');

/** What a {@link ContactRow} holds. */
export const contactRow = {
  ...allOf(contact),
  verified: computed<boolean>(
    'boolean',
    sql`exists (
      select from ${authenticators} where ${authenticators.kind} = 'email'
        and ${authenticators.publicSubject} = ${contact.email}
        and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null
    ) or exists (
      select from ${operatorContacts} where ${operatorContacts.email} = ${contact.email}
        and ${operatorContacts.emailVerifiedAt} is not null
    )`,
  ),
};
