import { mailOutbox } from '../../db/schema/platform.ts';
import { insertInto, pick, statement } from '../../db/sql.ts';
import type { Services } from '../run/context.ts';
import type { Work } from './unit-of-work.ts';

/** The job that sends one mail of the outbox. */
export const sendMailTask = 'mail.send';

export interface MailToQueue {
  /** Null for mail of the installation itself. */
  readonly orgId: string | null;
  /** The mailbox of a project that sends it, for as long as that one can. @default the sender of the installation */
  readonly mailboxId?: string | null;
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Writes a mail into the outbox, with the job that sends it: both exist exactly when the change does. @returns its id */
export async function queueMail(
  work: Work,
  { orgId, mailboxId = null, to, subject, text }: MailToQueue,
): Promise<string> {
  const id = work.services.newId('mail');
  await work.rows(insertStatement.with({ id, orgId, mailboxId, recipient: to, subject, bodyText: text }));
  // A name that no mailbox can ever have, as of users made for tests: their mail is read in the outbox.
  if (!to.endsWith('.invalid')) await work.addJob(sendMailTask, { mailId: id }, { key: id });
  return id;
}

/** Says where mail is while the installation has no mail server, to a caller that waits for one. */
export const mailWaits = ({ settings: { mailBaseUrl } }: Pick<Services, 'settings'>): string =>
  `This gateway has no mail server: the mail waits in its outbox. Whoever holds the admin key reads it at ${mailBaseUrl}/console/outbox or with \`svc admin outbox\`.`;

const insertStatement = statement(
  'mail.insert',
  { params: pick(mailOutbox, 'id', 'orgId', 'mailboxId', 'recipient', 'subject', 'bodyText') },
  (given) => insertInto(mailOutbox, given),
);
