import { sql } from '../../../db/drizzle.ts';
import { type DesiredMail, projectDomains } from '../../../db/schema/hosts.ts';
import { statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { activateAddresses, putAddresses, setMailStanding } from '../../mailboxes/shared/mail-domains.ts';
import { wantedMail } from './desired-mail.ts';
import { type DomainRow, domainKey, factsOf, mailOwner } from './domain-rows.ts';
import { comesHere, isSigned, type MailFacts } from './mail-checks.ts';
import { mailColumns } from './mail-standing.ts';

type MailRow = Pick<DomainRow, 'mail' | 'receiveTests'>;

/**
 * Draws the conclusions for the mail of a domain that was looked at: whether mail is signed and taken, and which addresses
 * there are. They take effect by themselves unless that is left to a call.
 *
 * @param row as the look has left it
 * @returns how its mail stands after that
 */
export async function settleMail(
  work: Pick<Work, 'rows' | 'services'>,
  row: DomainRow,
  publicId: string,
): Promise<MailRow> {
  const email = wantedMail(row.desired);
  // Most domains have none, and were looked at for nothing else.
  if (email === undefined) return { mail: null, receiveTests: row.receiveTests };
  const domain = mailOwner(row);
  // Before anything is concluded from tests: they tell of the mailboxes that addresses were.
  await putAddresses(work, domain, wantedAddresses(email));
  const held = await mailOf(work, row);
  if (held.mail === null) return held;
  const facts = { ...factsOf(work.services, { ...row, ...held }, publicId), email };
  const sends = isSigned(facts);
  // Mail that is still on its way when the records change is taken.
  const receives = email.receive.enabled && (held.mail.receives || comesHere(facts));
  await setMailStanding(work, { ...domain, sends, receives });
  if (email.activation === 'automatic_when_ready' && isReady(facts)) await activateAddresses(work, domain);
  return mailOf(work, row);
}

/** Whether addresses can take effect: mail for them comes here, or, where none is wanted, mail from them is signed. */
export const isReady = (facts: MailFacts): boolean =>
  facts.email.receive.enabled ? comesHere(facts) : isSigned(facts);

/** A mailbox writes from the first address that it was given. */
function wantedAddresses({ mailbox_addresses: { mode, addresses } }: DesiredMail) {
  const written = new Set<string>();
  return addresses.map(({ local_part, mailbox_slug }) => {
    const isPrimary = mode === 'primary' && !written.has(mailbox_slug);
    written.add(mailbox_slug);
    return { localPart: local_part, slug: mailbox_slug, isPrimary };
  });
}

async function mailOf(work: Pick<Work, 'rows'>, { orgId, projectId, name }: DomainRow): Promise<MailRow> {
  const [found] = await work.rows(mailStatement.with({ orgId, projectId, name }));
  return found!;
}

const mailStatement = statement(
  'domains.mail',
  { params: domainKey, row: mailColumns },
  (given, row) => sql`select ${row} from ${projectDomains} where ${projectDomains.orgId} = ${given.orgId}
    and ${projectDomains.projectId} = ${given.projectId} and ${projectDomains.name} = ${given.name}`,
);
