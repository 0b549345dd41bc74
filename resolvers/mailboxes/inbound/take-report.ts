import { sql } from '../../../db/drizzle.ts';
import { mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { DeliveryStatus, MailReport, ReportedMail } from '../../../engines/mail/inbound/reports.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { knownAs } from '../../../kernel/input/email-address.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { noteBounce, noteComplaint, noteDelivery, type SentMail, sentColumns } from '../feedback.ts';
import { messageOfReturnPath } from '../return-path.ts';
import { type Addressee, sentStatement } from './addressee.ts';

/** What recipients report who did not want a mail. RFC 5965, section 7.3; `not-spam` is none. */
const complaints: ReadonlySet<string> = new Set(['abuse', 'fraud', 'virus', 'other']);

/** Does what a report of a mail comes to. One of a mail that nobody here has sent is passed over. */
export async function takeReport(ctx: Context, report: MailReport, addressees: readonly Addressee[]): Promise<void> {
  const sent = await reported(ctx, report.about, addressees);
  if (sent === undefined) return;
  if (report.kind === 'feedback') {
    if (complaints.has(report.type)) await unitOfWork(ctx, (work) => noteComplaint(work, sent));
    return;
  }
  const status = statusOf(report.recipients, sent);
  if (status?.action === 'failed')
    await unitOfWork(ctx, (work) =>
      noteBounce(work, sent, {
        type: bounceTypeOf(status),
        why: status.diagnostic ?? status.status ?? 'The mail came back.',
      }),
    );
  else if (status?.action === 'delivered') await unitOfWork(ctx, (work) => noteDelivery(work, sent));
}

const bounceTypeOf = ({ status }: DeliveryStatus) =>
  status === null ? null : status.startsWith('5') ? ('Permanent' as const) : ('Transient' as const);

/** A server may have passed a mail on under another address: of a single one, it is this mail's. */
const statusOf = (recipients: readonly DeliveryStatus[], { recipient }: SentMail): DeliveryStatus | undefined =>
  recipients.find((one) => one.recipients.includes(knownAs(recipient))) ??
  (recipients.length === 1 ? recipients[0] : undefined);

/** The mail that a report is about: as its own return path names it, or the one that it carries. */
async function reported(
  { services }: Context,
  about: ReportedMail,
  addressees: readonly Addressee[],
): Promise<SentMail | undefined> {
  const { db, keys } = services;
  for (const addressee of addressees) if (addressee.kind === 'return_path') return addressee.sent;
  const mailboxIds = addressees.flatMap((one) => (one.kind === 'mailbox' ? [one.mailbox.id] : []));
  const isTheirs = ({ mailboxId }: SentMail) => mailboxIds.length === 0 || mailboxIds.includes(mailboxId);
  for (const address of about.returnPaths) {
    const id = messageOfReturnPath(keys, address);
    const [sent] = id === undefined ? [] : await db.rows(sentStatement.with({ id }));
    if (sent !== undefined && isTheirs(sent)) return sent;
  }
  if (about.messageId === null) return undefined;
  return (await db.rows(byMailIdStatement.with({ mailMessageId: about.messageId }))).find(isTheirs);
}

const byMailIdStatement = statement(
  'mailboxes.sent-by-mail-id',
  { params: pick(mailboxMessages, 'mailMessageId'), row: sentColumns },
  ({ mailMessageId }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.mailMessageId} = ${mailMessageId} and ${mailboxMessages.direction} = 'outbound' limit 10`,
);
