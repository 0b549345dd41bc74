import { sql } from '../../../db/drizzle.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { MailToSend } from '../../../engines/mail/mailer.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { mailboxColumns, shownMailbox } from '../mailbox.ts';
import { comingBack } from '../return-path.ts';
import { signatureOf } from '../signature.ts';
import { suppress, suppressionOf } from '../suppressions.ts';
import { withFooter } from '../with-footer.ts';

/** The mailbox that sends the mails of sign-in of a project; null for the sender of the installation. */
export async function authSenderOf(
  rows: Rows,
  owner: { readonly orgId: string; readonly projectId: string },
): Promise<string | null> {
  const [sender] = await rows(authSenderStatement.with(owner));
  return sender?.id ?? null;
}

/** A mail of the outbox that a mailbox is to send. */
interface SignInMailToSend {
  readonly id: string;
  readonly mailboxId: string;
  readonly recipient: string;
  readonly subject: string;
  readonly bodyText: string;
}

/**
 * A mail of sign-in as its mailbox sends it. It counts for none of the mailbox's limits, and is no message of it: what signs
 * somebody in is nobody else's to read.
 *
 * @returns undefined where the mailbox cannot send it, being suspended or deleted, or may not write to the address: the
 *   installation sends it then, so that nobody is kept from signing in
 */
export async function asSentByMailbox(services: Services, mail: SignInMailToSend): Promise<MailToSend | undefined> {
  const { rows } = services.db;
  const [sender] = await rows(senderStatement.with({ id: mail.mailboxId }));
  if (sender === undefined) return undefined;
  const { orgId, projectId, publicId, tier, name } = sender;
  const shown = shownMailbox({ services, org: { tier }, project: { publicId } }, sender);
  if (shown.sendBlockedReason !== null) return undefined;
  if ((await suppressionOf(rows, projectId, mail.recipient)) !== undefined) return undefined;
  const signature = await signatureOf(services, { fromAddress: shown.address, orgId, projectId, publicId });
  if (signature === 'not_theirs') return undefined;
  const given = { subject: mail.subject, text: mail.bodyText, html: '' };
  const { text } = withFooter(given, shown, services.settings.platformDomain);
  const { headers, ...returning } = comingBack(services, mail.id, publicId);
  return {
    ...returning,
    signature,
    id: `${mail.id}@${shown.addressDomain}`,
    from: { name: displayNameOf(name), address: shown.address },
    to: mail.recipient,
    subject: mail.subject,
    text,
    // Programs that answer mail would send it back with what it says. RFC 3834, section 5.
    headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
  };
}

/** Longest name of a sender, in characters. Contract 02, section 6.3. */
const nameMax = 78;

/** The name of a project as the name of a sender: nothing in it is taken for an address. */
const displayNameOf = (name: string): string => [...name.replaceAll(/[<>"]/g, '')].slice(0, nameMax).join('').trim();

/** The mail server has said that there is no such recipient: the project writes there no more. */
export async function noteNoSuchRecipient(rows: Rows, mail: SignInMailToSend): Promise<void> {
  const [sender] = await rows(senderStatement.with({ id: mail.mailboxId }));
  if (sender !== undefined) await suppress(rows, mail, { scope: sender.projectId, reason: 'bounce' });
}

const authSenderStatement = statement(
  'mailboxes.auth-sender',
  { params: pick(mailboxes, 'orgId', 'projectId'), row: pick(mailboxes, 'id') },
  ({ orgId, projectId }, row) => sql`select ${row} from ${mailboxes} where ${mailboxes.orgId} = ${orgId}
    and ${mailboxes.projectId} = ${projectId} and ${mailboxes.isAuthSender} and ${mailboxes.deletedAt} is null limit 1`,
);

const { slug, status, footerPolicy, ownAddress } = mailboxColumns;

const senderStatement = statement(
  'mailboxes.sign-in-sender',
  {
    params: pick(mailboxes, 'id'),
    row: {
      ...pick(mailboxes, 'orgId', 'projectId'),
      ...{ slug, status, footerPolicy, ownAddress },
      ...pick(projects, 'publicId', 'name'),
      ...pick(orgs, 'tier'),
    },
  },
  ({ id }, row) => sql`select ${row} from ${mailboxes} join ${projects} on ${projects.id} = ${mailboxes.projectId}
    join ${orgs} on ${orgs.id} = ${mailboxes.orgId} where ${mailboxes.id} = ${id}`,
);
