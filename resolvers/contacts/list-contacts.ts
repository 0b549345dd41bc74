import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type ContactRow, ContactWire, contactRowColumns, contactToWire } from './contact.ts';
import { contactActions } from './shared/actions.ts';

/** `GET /orgs/v1/:org_id/escalation-contacts`. Contract 02, section 3.6. */
export const listContacts = query({
  name: 'contacts.list',
  tool: 'list_escalation_contacts',
  command: 'contacts list',
  summary: 'Whom the escalations of an organization page, in the order in which they are paged.',
  access: onOrg(contactActions['escalation:contacts:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows<ContactRow>(listStatement, [org.id]),
  wire: z.object({ escalation_contacts: z.array(ContactWire) }),
  toWire: (contacts) => ({ escalation_contacts: contacts.map(contactToWire) }),
});

const listStatement: Statement = {
  name: 'contacts.list',
  text: `select ${contactRowColumns} from escalation_contacts c where c.org_id = $1
    order by c.level, c.created_at, c.id`,
};
