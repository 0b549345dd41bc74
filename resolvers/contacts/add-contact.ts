import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onOrg } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { givenName, orgId, shows } from '../../kernel/input/fields.ts';
import { escalationContactsMax } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { scheduleSweep } from '../escalations/shared/page-level.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { type ContactRow, ContactWire, contactRowColumns, contactToWire } from './contact.ts';
import { contactActions } from './shared/actions.ts';

export interface AddedContact {
  readonly contact: ContactRow;
  /** False: the address was on that level before, and stays as it was. */
  readonly created: boolean;
}

/** `POST /orgs/v1/:org_id/escalation-contacts`. Contract 02, section 3.6. */
export const addContact = mutation({
  name: 'contacts.add',
  tool: 'add_escalation_contact',
  command: 'contacts add',
  summary: 'Add somebody to be paged by an organization’s escalations, from the next page on.',
  access: onOrg(contactActions['escalation:contacts:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.contacts',
  input: z.object({
    org: orgId,
    email: emailAddress.describe('Address to page; letter case and blanks around it do not matter.'),
    display_name: givenName(64)
      .trim()
      .refine((name) => shows.test(name), 'must show something')
      .optional()
      .describe('What people call the contact, at most 64 characters.'),
    level: z.int().min(1).max(10).default(1).describe('Place on the ladder, 1 to 10: 1 is paged first.'),
  }),
  async handler(work, { email, display_name, level }): Promise<AddedContact> {
    const { id: orgOf } = await lockOrgFor(work, work.org.id, contactActions['escalation:contacts:write']);
    const [known] = await work.rows<ContactRow>(findStatement, [orgOf, email, level]);
    if (known !== undefined) return { contact: known, created: false };
    const quota = { scope: 'organization', metric: 'escalation_contacts' } as const;
    await refuseOverQuota(work, countStatement, [orgOf], quota, escalationContactsMax);
    await work.rows(insertStatement, [orgOf, randomUUID(), email, display_name ?? null, level]);
    await wakeWaiting(work, orgOf);
    const [contact] = await work.rows<ContactRow>(findStatement, [orgOf, email, level]);
    return { contact: contact!, created: true };
  },
  audit: ({ contact: { id, email, level }, created }) =>
    created
      ? {
          action: 'escalation_contact.added',
          object: { kind: 'escalation_contact', id },
          details: { email, level },
        }
      : undefined,
  wire: ContactWire,
  toWire: ({ contact }) => contactToWire(contact),
});

/** Has whatever found nobody to page look again. */
async function wakeWaiting(work: Work, orgId: string): Promise<void> {
  const woken = await work.rows<{ id: string }>(wakeStatement, [orgId]);
  if (woken.length === 0) return;
  await scheduleSweep(
    work,
    orgId,
    woken.map(({ id }) => id),
  );
}

const findStatement: Statement = {
  name: 'contacts.find',
  text: `select ${contactRowColumns} from escalation_contacts c where c.org_id = $1 and c.email = $2 and c.level = $3`,
};

const countStatement: Statement = {
  name: 'contacts.count',
  text: 'select count(*)::int as used from escalation_contacts where org_id = $1',
};

const insertStatement: Statement = {
  name: 'contacts.insert',
  text: `insert into escalation_contacts (org_id, id, email, display_name, level, created_at)
    values ($1, $2, $3, $4, $5, clock_timestamp())`,
};

const wakeStatement: Statement = {
  name: 'contacts.wake',
  text: `update escalations set due_at = now() where org_id = $1 and status = 'open' and awaits_contact
    and due_at is null returning id`,
};
