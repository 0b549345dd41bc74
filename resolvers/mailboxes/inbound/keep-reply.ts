import { createHash } from 'node:crypto';
import { sql } from '../../../db/drizzle.ts';
import { mailboxes, mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { projects } from '../../../db/schema/projects.ts';
import { insertSelect, pick, statement } from '../../../db/sql.ts';
import { findProjectTarget } from '../../../kernel/access/project-target.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { holdBytes } from '../../content/shared/hold-bytes.ts';
import { nameContent } from '../../content/shared/named-content.ts';
import { lockProject } from '../../projects/shared/lock-project.ts';
import { messageColumns } from '../message.ts';
import { messageChanged } from '../message-feed.ts';
import { domainOfProject } from '../shared/mail-domain.ts';
import { tellMailFact } from '../tell-mail-fact.ts';
import type { AddressedMailbox, Addressee } from './addressee.ts';
import { answeredMail, answersSignIn } from './answered-mail.ts';
import type { InboundMail } from './inbound-mail.ts';

/** Mails of its thread that are remembered of a mail. */
const referencesMax = 20;

/**
 * Keeps a mail that answers one of a mailbox, with its bytes, exactly as they came. What a program has sent is kept as well, and
 * is no reply to anybody: neither what says so, nor what has no sender, nor what goes to where mails come back.
 *
 * @returns whether it answers something, and is kept
 */
export async function keepReply(
  ctx: Context,
  inbound: InboundMail,
  addressee: Extract<Addressee, { readonly kind: 'mailbox' | 'return_path' }>,
): Promise<boolean> {
  const { services } = ctx;
  const { mail, sender, raw } = inbound;
  const from = mail.from?.address ?? sender;
  if (from === '') return false;
  const mailbox = addressee.kind === 'mailbox' ? addressee.mailbox : await mailboxOf(ctx, addressee.sent.mailboxId);
  if (mailbox === undefined) return false;
  const { rows } = services.db;
  const rawSha256 = createHash('sha256').update(raw).digest('hex');
  const [known] = await rows(knownStatement.with({ rawSha256, mailboxId: mailbox.id }));
  if (known !== undefined) return true;
  if (await answersSignIn(rows, mailbox.id, mail)) return false;
  const writers = [from, sender].filter((one) => one !== '');
  const inReplyToId =
    addressee.kind === 'return_path' ? addressee.sent.id : await answeredMail(rows, mailbox.id, mail, writers);
  if (inReplyToId === undefined) return false;
  const target = await findProjectTarget(services, mailbox.projectId);
  const owner = {
    org: { id: target.orgId, tier: target.tier, limitOverrides: target.limitOverrides },
    project: { id: target.projectId },
  };
  const content = await holdBytes(ctx, owner, raw);
  return unitOfWork(ctx, async (work) => {
    if ((await lockProject(work, target.projectId)) === undefined) return false;
    await nameContent(work.rows, target, [content]);
    const id = services.newId('msg');
    const [kept] = await work.rows(
      insertStatement.with({
        id,
        mailboxId: mailbox.id,
        fromAddress: from,
        fromName: mail.from?.name ?? null,
        recipient: mailbox.address,
        subject: mail.subject === '' ? '(no subject)' : mail.subject,
        bodyText: mail.text,
        bodyHtml: mail.html,
        attachments: mail.files.length === 0 ? null : JSON.stringify(mail.files),
        inReplyToId,
        // A mail without a name is answered under one that nobody else knows.
        mailMessageId: mail.messageId ?? `${id}@${mailbox.address.split('@').at(-1)}`,
        references: [...(mail.references.length === 0 ? mail.inReplyTo : mail.references)].slice(-referencesMax),
        rawSha256,
        rawSize: raw.length,
        isAutomatic: mail.isAutomatic || sender === '' || addressee.kind === 'return_path',
        authentication: JSON.stringify(inbound.authentication),
      }),
    );
    // It came twice at once, or the mailbox was deleted or suspended meanwhile.
    if (kept === undefined)
      return (await work.rows(knownStatement.with({ rawSha256, mailboxId: mailbox.id }))).length > 0;
    work.append(messageChanged({ orgId: target.orgId, mailboxId: mailbox.id }, kept));
    if (!kept.isAutomatic)
      await tellMailFact(work, {
        orgId: target.orgId,
        projectId: target.projectId,
        mailboxId: mailbox.id,
        type: 'reply_received',
        discriminator: id,
        payload: {
          mailbox_id: mailbox.id,
          message_id: id,
          from,
          subject: kept.subject,
          body_text: mail.text,
          in_reply_to_message_id: inReplyToId,
          received_at: kept.receivedAt!.toISOString(),
        },
      });
    return true;
  });
}

/** A mailbox that takes mail, by its id. */
async function mailboxOf({ services }: Context, id: string): Promise<AddressedMailbox | undefined> {
  const [found] = await services.db.rows(mailboxStatement.with({ id }));
  if (found === undefined) return undefined;
  const { slug, publicId, ...mailbox } = found;
  return { ...mailbox, address: `${slug}@${domainOfProject(services, publicId)}`, isActive: true };
}

const mailboxStatement = statement(
  'mailboxes.taking',
  {
    params: pick(mailboxes, 'id'),
    row: { ...pick(mailboxes, 'id', 'orgId', 'projectId', 'slug'), publicId: projects.publicId },
  },
  ({ id }, row) => sql`select ${row} from ${mailboxes} join ${projects} on ${projects.id} = ${mailboxes.projectId}
    where ${mailboxes.id} = ${id} and ${mailboxes.status} = 'active' and ${projects.deletedAt} is null`,
);

const knownStatement = statement(
  'mailboxes.known-mail',
  {
    params: { rawSha256: mailboxMessages.rawSha256, mailboxId: mailboxMessages.mailboxId },
    row: pick(mailboxMessages, 'id'),
  },
  ({ rawSha256, mailboxId }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.rawSha256} = ${rawSha256} and (${mailboxMessages.mailboxId} || '') = ${mailboxId}`,
);

const insertStatement = statement(
  'mailboxes.insert-inbound',
  {
    params: pick(
      mailboxMessages,
      'id',
      'mailboxId',
      'fromAddress',
      'fromName',
      'recipient',
      'subject',
      'bodyText',
      'bodyHtml',
      'attachments',
      'inReplyToId',
      'mailMessageId',
      'references',
      'rawSha256',
      'rawSize',
      'isAutomatic',
      'authentication',
    ),
    row: messageColumns,
  },
  ({ mailboxId, ...given }, row) =>
    sql`${insertSelect(
      mailboxMessages,
      {
        ...given,
        mailboxId,
        orgId: sql`${mailboxes.orgId}`,
        projectId: sql`${mailboxes.projectId}`,
        direction: sql`'inbound'`,
        status: sql`'received'`,
        provider: sql`'smtp'`,
        receivedAt: sql`now()`,
      },
      sql`from ${mailboxes} where ${mailboxes.id} = ${mailboxId} and ${mailboxes.status} = 'active'`,
    )} on conflict do nothing returning ${row}`,
);
