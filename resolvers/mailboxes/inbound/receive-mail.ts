import type { ReadMail } from '../../../engines/mail/inbound/read-mail.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { passReceiveTest, receiveTestOf } from '../shared/receive-tests.ts';
import type { Addressee } from './addressee.ts';
import type { InboundMail } from './inbound-mail.ts';
import { keepReply } from './keep-reply.ts';
import { takeReport } from './take-report.ts';

/**
 * Takes a mail that has come in. What is kept of it is on the disk once this returns. The same mail again is the same: it
 * comes again when the answer was lost.
 *
 * @returns `not_wanted`: it answers nothing that any addressee has sent. Contract 02, section 6.7.
 * @throws QUOTA_EXCEEDED, STORAGE_UNAVAILABLE
 */
export async function receiveMail(ctx: Context, inbound: InboundMail): Promise<'kept' | 'not_wanted'> {
  const { mail, sender, addressees } = inbound;
  // A report of a mail that comes back has no sender, so that it does not come back itself (RFC 3464, section 2).
  if (mail.report !== null && (mail.report.kind === 'feedback' || sender === '' || addressees.some(isReturnPath))) {
    await takeReport(ctx, mail.report, addressees);
    return 'kept';
  }
  const kept: boolean[] = [];
  for (const addressee of addressees)
    if (addressee.kind === 'mailbox' || addressee.kind === 'return_path')
      kept.push((await isPassedTest(ctx, mail, addressee)) || (await isKept(ctx, inbound, addressee)));
  return kept.includes(true) ? 'kept' : 'not_wanted';
}

type Reached = Extract<Addressee, { readonly kind: 'mailbox' | 'return_path' }>;

const isKept = async (ctx: Context, inbound: InboundMail, addressee: Reached): Promise<boolean> =>
  (addressee.kind === 'return_path' || addressee.mailbox.isActive) && keepReply(ctx, inbound, addressee);

/** Whether a mail is the test of an address, and has arrived where it should. */
async function isPassedTest(ctx: Context, { subject, text }: ReadMail, addressee: Reached): Promise<boolean> {
  const token = receiveTestOf(subject, text);
  if (token === undefined || addressee.kind !== 'mailbox') return false;
  return unitOfWork(ctx, (work) => passReceiveTest(work, token, addressee.mailbox.id));
}

const isReturnPath = (addressee: Addressee): boolean => 'sent' in addressee;
