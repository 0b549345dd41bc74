import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { from, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { ContactWire, contact, contactRow, contactToWire } from './contact.ts';
import { contactActions } from './shared/actions.ts';

/** `GET /orgs/v1/:org_id/escalation-contacts`. Contract 02, section 3.6. */
export const listContacts = query({
  name: 'contacts.list',
  tool: 'list_escalation_contacts',
  command: 'contacts list',
  summary: 'Whom the escalations of an organization page, in the order in which they are paged.',
  access: onOrg(contactActions['escalation:contacts:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows(listStatement.with({ org: org.id })),
  wire: z.object({ escalation_contacts: z.array(ContactWire) }),
  toWire: (contacts) => ({ escalation_contacts: contacts.map(contactToWire) }),
});

const listStatement = statement(
  'contacts.list',
  { params: { org: contact.orgId }, row: contactRow },
  ({ org }, row) => sql`select ${row} from ${from(contact)} where ${contact.orgId} = ${org}
    order by ${contact.level}, ${contact.createdAt}, ${contact.id}`,
);
