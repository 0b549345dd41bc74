import { sql } from '../../../db/drizzle.ts';
import { mailboxes, mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { insertInto, insertSelect, pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

interface Owner {
  readonly orgId: string;
  readonly projectId: string;
}

/** Where the mail of a branch is read: a mailbox like any other, from which nothing goes out. */
export const sandboxSlug = 'sandbox';

/** What is noted of a mail that went no further. */
export const sandboxProvider = 'sandbox';

/** Gives a branch the mailbox that its mail is kept in. */
export const openSandbox = async (work: Work, owner: Owner): Promise<void> =>
  void (await work.rows(openStatement.with({ ...owner, id: work.services.newId('mbx'), slug: sandboxSlug })));

/** Keeps a mail of a branch, as sent by its sandbox. Without one, as after somebody has deleted it, nothing is kept. */
export async function keepInSandbox(
  work: Work,
  owner: Owner,
  mail: { readonly to: string; readonly subject: string; readonly text: string },
): Promise<void> {
  const id = work.services.newId('msg');
  const from = `${sandboxSlug}@${owner.projectId}.invalid`;
  await work.rows(
    keepStatement.with({
      ...owner,
      id,
      fromAddress: from,
      recipient: mail.to,
      subject: mail.subject,
      bodyText: mail.text,
      mailMessageId: `${id}@${owner.projectId}.invalid`,
    }),
  );
}

const openStatement = statement(
  'mailboxes.open-sandbox',
  { params: pick(mailboxes, 'orgId', 'projectId', 'id', 'slug') },
  (given) => insertInto(mailboxes, { ...given, isDefaultOutbound: sql`true`, isAuthSender: sql`true` }),
);

const keepStatement = statement(
  'mailboxes.keep-in-sandbox',
  {
    params: pick(
      mailboxMessages,
      'orgId',
      'projectId',
      'id',
      'fromAddress',
      'recipient',
      'subject',
      'bodyText',
      'mailMessageId',
    ),
  },
  (given) =>
    insertSelect(
      mailboxMessages,
      {
        ...given,
        mailboxId: sql`${mailboxes.id}`,
        direction: sql`'outbound'`,
        status: sql`'sent'`,
        provider: sql`'${sql.raw(sandboxProvider)}'`,
        sentAt: sql`now()`,
      },
      sql`from ${mailboxes} where ${mailboxes.projectId} = ${given.projectId} and ${mailboxes.orgId} = ${given.orgId}
        and ${mailboxes.slug} = '${sql.raw(sandboxSlug)}' and ${mailboxes.deletedAt} is null`,
    ),
);
