import { sql } from '../../../db/drizzle.ts';
import { mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { DeliveryStatus, MailReport, ReportedMail } from '../../../engines/mail/inbound/reports.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { knownAs } from '../../../kernel/input/email-address.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { noteBounce, noteComplaint, noteDelivery, type SentMail } from '../feedback.ts';
import { isSignInMail, mailOfReturnPath } from '../return-path.ts';
import { noteSignInBounce, noteSignInComplaint } from '../sign-in-feedback.ts';
import { type Addressee, type ReturnedMail, returnedMail } from './addressee.ts';

/** What recipients report who did not want a mail. RFC 5965, section 7.3; `not-spam` is none. */
const complaints: ReadonlySet<string> = new Set(['abuse', 'fraud', 'virus', 'other']);

/** Does what a report of a mail comes to. One of a mail that nobody here has sent is passed over. */
export async function takeReport(ctx: Context, report: MailReport, addressees: readonly Addressee[]): Promise<void> {
  const about = await reported(ctx, report.about, addressees);
  if (about === undefined) return;
  const { sent } = about;
  const note = notes[about.kind];
  if (report.kind === 'feedback') {
    if (complaints.has(report.type)) await unitOfWork(ctx, (work) => note.complaint(work, sent));
    return;
  }
  const status = statusOf(report.recipients, sent);
  if (status?.action === 'failed')
    await unitOfWork(ctx, (work) =>
      note.bounce(work, sent, {
        type: bounceTypeOf(status),
        why: status.diagnostic ?? status.status ?? 'The mail came back.',
      }),
    );
  else if (status?.action === 'delivered') await unitOfWork(ctx, (work) => note.delivery(work, sent));
}

/** What is done of what is told. That a mail of sign-in has arrived is nothing to anybody. */
const notes = {
  return_path: { bounce: noteBounce, complaint: noteComplaint, delivery: noteDelivery },
  sign_in_return_path: { bounce: noteSignInBounce, complaint: noteSignInComplaint, delivery: async () => {} },
} as const;

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
): Promise<ReturnedMail | undefined> {
  for (const addressee of addressees) if ('sent' in addressee) return addressee;
  const mailboxIds = addressees.flatMap((one) => (one.kind === 'mailbox' ? [one.mailbox.id] : []));
  const isTheirs = ({ sent }: ReturnedMail) => mailboxIds.length === 0 || mailboxIds.includes(sent.mailboxId);
  for (const address of about.returnPaths) {
    const id = mailOfReturnPath(services.keys, address);
    const found = id === undefined ? undefined : await returnedMail(services, id);
    if (found !== undefined && isTheirs(found)) return found;
  }
  if (about.messageId === null) return undefined;
  const name = about.messageId.split('@')[0]!;
  const named = await services.db.rows(byMailIdStatement.with({ mailMessageId: about.messageId }));
  for (const id of isSignInMail(name) ? [name] : named.map((one) => one.id)) {
    const found = await returnedMail(services, id);
    if (found !== undefined && isTheirs(found)) return found;
  }
  return undefined;
}

const byMailIdStatement = statement(
  'mailboxes.sent-by-mail-id',
  { params: pick(mailboxMessages, 'mailMessageId'), row: pick(mailboxMessages, 'id') },
  ({ mailMessageId }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.mailMessageId} = ${mailMessageId} and ${mailboxMessages.direction} = 'outbound' limit 10`,
);
