import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { escalationContacts, escalations } from '../../db/schema/escalations.ts';
import { computed, from, insertInto, pick, setOf, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { givenName, orgId, shows } from '../../kernel/input/fields.ts';
import { escalationContactsMax } from '../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { scheduleSweep } from '../escalations/shared/page-level.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { type ContactRow, ContactWire, contact, contactRow, contactToWire } from './contact.ts';
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
    const find = findStatement.with({ org: orgOf, email, level });
    const [known] = await work.rows(find);
    if (known !== undefined) return { contact: known, created: false };
    const quota = { scope: 'organization', metric: 'escalation_contacts' } as const;
    await refuseOverQuota(work, countStatement.with({ org: orgOf }), quota, escalationContactsMax);
    const added = { orgId: orgOf, id: randomUUID(), email, displayName: display_name ?? null, level };
    await work.rows(insertStatement.with(added));
    await wakeWaiting(work, orgOf);
    const [contact] = await work.rows(find);
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
  const woken = await work.rows(wakeStatement.with({ org: orgId }));
  if (woken.length === 0) return;
  await scheduleSweep(
    work,
    orgId,
    woken.map(({ id }) => id),
  );
}

const findStatement = statement(
  'contacts.find',
  { params: { org: contact.orgId, email: contact.email, level: contact.level }, row: contactRow },
  ({ org, email, level }, row) => sql`select ${row} from ${from(contact)}
    where ${contact.orgId} = ${org} and ${contact.email} = ${email} and ${contact.level} = ${level}`,
);

const countStatement = statement(
  'contacts.count',
  { params: { org: escalationContacts.orgId }, row: { used: computed<number>('integer', sql`count(*)::int`) } },
  ({ org }, row) => sql`select ${row} from ${escalationContacts} where ${escalationContacts.orgId} = ${org}`,
);

const insertStatement = statement(
  'contacts.insert',
  { params: pick(escalationContacts, 'orgId', 'id', 'email', 'displayName', 'level') },
  (given) => insertInto(escalationContacts, { ...given, createdAt: sql`clock_timestamp()` }),
);

const wakeStatement = statement(
  'contacts.wake',
  { params: { org: escalations.orgId }, row: { id: escalations.id } },
  ({ org }, row) => sql`update ${escalations} ${setOf(escalations, { dueAt: sql`now()` })}
    where ${escalations.orgId} = ${org} and ${escalations.status} = 'open' and ${escalations.awaitsContact}
      and ${escalations.dueAt} is null returning ${row}`,
);
