import { sql } from '../../../db/drizzle.ts';
import { projectDomains } from '../../../db/schema/hosts.ts';
import { mailAddresses, mailDomains, receiveTests } from '../../../db/schema/mail-domains.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { mailOutbox } from '../../../db/schema/platform.ts';
import { computed } from '../../../db/sql.ts';

/** The mail of a domain that is the project's. */
export interface HeldMail {
  /** What stands behind the `@`. */
  readonly name: string;
  readonly sends: boolean;
  /** ISO 8601; null before its key was seen for the first time. */
  readonly sendsSince: string | null;
  readonly receives: boolean;
  /** In the order in which they were given. */
  readonly addresses: readonly HeldAddress[];
}

export interface HeldAddress {
  readonly localPart: string;
  readonly mailboxId: string;
  readonly slug: string;
  readonly isPrimary: boolean;
  /** ISO 8601; null before it takes effect. */
  readonly activatedAt: string | null;
}

/** A mail that was sent to an address, to see whether it arrives. */
export interface ReceiveTest {
  readonly id: string;
  readonly localPart: string;
  readonly address: string;
  readonly targetManagedAddress: string;
  readonly token: string;
  readonly status: 'pending' | 'passed' | 'failed' | 'stale';
  /** ISO 8601. */
  readonly createdAt: string;
  readonly passedAt: string | null;
}

const held = sql`${mailDomains.orgId} = ${projectDomains.orgId} and ${mailDomains.projectId} = ${projectDomains.projectId}
  and ${mailDomains.domain} = ${projectDomains.name}`;

/** A test whose mail has not arrived after a day never will. One of another address, mailbox or way than today's says nothing of it. */
const testStatus = sql`case
  when ${receiveTests.status} = 'stale' then 'stale'
  when ${receiveTests.address} is distinct from ${receiveTests.localPart} || '@' || (select ${mailDomains.name} from ${mailDomains} where ${held})
    or ${receiveTests.mailboxId} is distinct from (select ${mailAddresses.mailboxId} from ${mailAddresses}
      join ${mailDomains} on ${mailDomains.name} = ${mailAddresses.mailDomain}
      where ${held} and ${mailAddresses.localPart} = ${receiveTests.localPart})
    then 'stale'
  when ${receiveTests.status} = 'passed' then 'passed'
  when exists (select from ${mailOutbox} where ${mailOutbox.id} = ${receiveTests.mailId} and ${mailOutbox.state} = 'failed')
    then 'failed'
  when ${receiveTests.createdAt} < now() - interval '1 day' then 'stale'
  else 'pending' end`;

/** The columns of a domain that tell of its mail. */
export const mailColumns = {
  mail: computed<HeldMail | null>(
    'jsonb',
    sql`(select jsonb_build_object('name', ${mailDomains.name}, 'sends', ${mailDomains.sends},
        'sendsSince', ${mailDomains.sendsSince}, 'receives', ${mailDomains.receives},
        'addresses', (select coalesce(jsonb_agg(jsonb_build_object('localPart', ${mailAddresses.localPart},
            'mailboxId', ${mailboxes.id}, 'slug', ${mailboxes.slug}, 'isPrimary', ${mailAddresses.isPrimary},
            'activatedAt', ${mailAddresses.activatedAt}) order by ${mailAddresses.position}), '[]')
          from ${mailAddresses} join ${mailboxes} on ${mailboxes.id} = ${mailAddresses.mailboxId}
          where ${mailAddresses.mailDomain} = ${mailDomains.name}))
      from ${mailDomains} where ${held})`,
  ),
  receiveTests: computed<readonly ReceiveTest[]>(
    'jsonb',
    sql`(select coalesce(jsonb_agg(jsonb_build_object('id', ${receiveTests.id}, 'localPart', ${receiveTests.localPart},
        'address', ${receiveTests.address}, 'targetManagedAddress', ${receiveTests.targetManagedAddress},
        'token', ${receiveTests.token}, 'status', ${testStatus}, 'createdAt', ${receiveTests.createdAt},
        'passedAt', ${receiveTests.passedAt}) order by ${receiveTests.createdAt} desc, ${receiveTests.id} desc), '[]')
      from ${receiveTests} where ${receiveTests.orgId} = ${projectDomains.orgId}
        and ${receiveTests.projectId} = ${projectDomains.projectId} and ${receiveTests.domain} = ${projectDomains.name})`,
  ),
};
