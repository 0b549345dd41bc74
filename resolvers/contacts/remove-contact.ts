import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sql } from '../../db/drizzle.ts';
import { from, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { type ContactRow, contact, contactRow } from './contact.ts';
import { contactActions } from './shared/actions.ts';

/** `DELETE /orgs/v1/:org_id/escalation-contacts/:contact_id`. Contract 02, section 3.6. */
export const removeContact = mutation({
  name: 'contacts.remove',
  tool: 'remove_escalation_contact',
  command: 'contacts rm',
  effects: ['destructive', 'idempotent'],
  summary: 'Take somebody off the list of those who are paged; the links of earlier pages end, too.',
  access: onOrg(contactActions['escalation:contacts:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.contacts',
  input: z.object({ org: orgId, contact: z.string().min(1).max(64).describe('Contact, a UUID.') }),
  async handler(work, { contact: id }): Promise<ContactRow> {
    await lockOrgFor(work, work.org.id, contactActions['escalation:contacts:write']);
    const [removed] = isUuid(id) ? await work.rows(removeStatement.with({ org: work.org.id, id })) : [];
    if (removed === undefined) {
      throw new ServiceError('RESOURCE_NOT_FOUND', {
        message: 'There is no such contact.',
        details: { contact_id: id },
      });
    }
    return removed;
  },
  audit: ({ id, email, level }) => ({
    action: 'escalation_contact.removed',
    object: { kind: 'escalation_contact', id },
    details: { email, level },
  }),
  wire: z.object({ contact_id: z.uuid(), revoked: z.literal(true) }),
  toWire: ({ id }) => ({ contact_id: id, revoked: true as const }),
});

const removeStatement = statement(
  'contacts.remove',
  { params: { org: contact.orgId, id: contact.id }, row: contactRow },
  ({ org, id }, row) => sql`delete from ${from(contact)} where ${contact.orgId} = ${org} and ${contact.id} = ${id}
    returning ${row}`,
);
