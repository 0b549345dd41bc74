import { type SQL, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { noticePreferences } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { computed, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import { wantedColumns } from './preferences.ts';

const wanted = noticePreferences;

const recipientRow = {
  principalId: computed<string>('text', sql`who.id`),
  /** Known to work: of the contact, else one that the person signs in by. */
  address: computed<string | null>(
    'text',
    sql`coalesce(case when ${operatorContacts.emailVerifiedAt} is not null then ${operatorContacts.email} end, mail.address)`,
  ),
  /** Whether notices can be posted, signed. */
  hasWebhook: computed<boolean>(
    'boolean',
    sql`coalesce(${operatorContacts.webhook} is not null and ${wanted.webhookSecret} is not null
      and ${wanted.webhookDisabledAt} is null, false)`,
  ),
  ...wantedColumns,
};

/** Somebody who may be told. */
export type Recipient = RowOf<typeof recipientRow>;

const recipients = (who: SQL, row: SQL) => sql`select ${row} from (${who}) who (id)
  left join ${operatorContacts} on ${operatorContacts.principalId} = who.id
  left join ${wanted} on ${wanted.principalId} = who.id
  left join lateral (
    select ${authenticators.publicSubject} as address from ${authenticators}
    where ${authenticators.principalId} = who.id and ${authenticators.kind} = 'email'
      and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null
    order by ${authenticators.createdAt} limit 1
  ) mail on true
  order by who.id`;

/** Whoever answers for an organization: its owners and administrators. */
export const recipientsOfOrg = statement(
  'notices.recipients-of-org',
  { params: pick(memberships, 'orgId'), row: recipientRow },
  ({ orgId }, row) =>
    recipients(
      sql`select ${memberships.principalId} from ${memberships} where ${memberships.orgId} = ${orgId}
        and ${memberships.status} = 'active' and ${memberships.role} in ('owner', 'admin')`,
      row,
    ),
);

/** One principal. */
export const recipientItself = statement(
  'notices.recipient',
  { params: { principalId: typed<string>('text') }, row: recipientRow },
  ({ principalId }, row) => recipients(sql`select ${principalId}::text`, row),
);
