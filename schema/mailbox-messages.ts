import { dropNulls } from '../core/drop-nulls.ts';
import { getMailboxMessage, type ReadMessage } from '../resolvers/mailboxes/get-message.ts';
import { getRawMail, type RawMail } from '../resolvers/mailboxes/get-raw.ts';
import { listMailboxMessages } from '../resolvers/mailboxes/list-messages.ts';
import { deliveryStateOf, type MailboxMessage, providerIdOf } from '../resolvers/mailboxes/message.ts';
import { openMailboxMessages } from '../resolvers/mailboxes/open-messages.ts';
import { sendMailboxMail } from '../resolvers/mailboxes/send-mail.ts';
import { followMailbox, type MailboxMessageChanged } from '../subscriptions/mailbox-messages.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const MailDirectionEnum = builder.enumType('MailDirection', {
  description: 'Where a mail went.',
  values: {
    INBOUND: { value: 'inbound', description: 'To the mailbox.' },
    OUTBOUND: { value: 'outbound', description: 'From the mailbox.' },
  } as const,
});

const MailStatusEnum = builder.enumType('MailStatus', {
  description: 'What became of a mail.',
  values: {
    PENDING: { value: 'pending', description: 'Waits for the mail server.' },
    SENT: { value: 'sent', description: 'The mail server has taken it.' },
    FAILED: { value: 'failed', description: 'The mail server does not take it.' },
    RECEIVED: { value: 'received', description: 'Came in.' },
    DELIVERED: { value: 'delivered', description: 'The recipient’s server has said so.' },
    BOUNCED: { value: 'bounced', description: 'Came back.' },
    COMPLAINED: { value: 'complained', description: 'The recipient has complained about it.' },
  } as const,
});

const MailAttachmentRef = builder
  .objectRef<NonNullable<MailboxMessage['attachments']>[number]>('MailAttachment')
  .implement({
    description: 'A file that a mail carries.',
    fields: (t) => ({
      filename: t.exposeString('filename', { description: 'Its name.' }),
      contentType: t.exposeString('content_type', { description: 'Its media type.' }),
      sizeBytes: t.exposeInt('size_bytes', { description: 'Its length in bytes.' }),
    }),
  });

const MailAuthenticationRef = builder
  .objectRef<NonNullable<MailboxMessage['authentication']>>('MailAuthentication')
  .implement({
    description:
      'Whether a mail is from whom it says, by the words of RFC 8601: `pass`, `fail`, `none`, `temperror` and others.',
    fields: (t) => ({
      spf: t.exposeString('spf', { description: 'Whether the address that sent it may send for its domain.' }),
      dkim: t.exposeString('dkim', { description: 'Whether a domain has signed it.' }),
      dmarc: t.exposeString('dmarc', { description: 'Whether either is the domain of its sender.' }),
      dmarcPolicy: t.exposeString('dmarc_policy', {
        nullable: true,
        description: 'What that domain wants done otherwise: `none`, `quarantine` or `reject`.',
      }),
      fromDomain: t.exposeString('from_domain', { nullable: true, description: 'The domain of its sender.' }),
      signedBy: t.stringList({
        description: 'The domains whose signatures hold.',
        resolve: ({ signed_by: domains }) => [...domains],
      }),
    }),
  });

const MailFields = builder.interfaceRef<MailboxMessage>('Mail').implement({
  description: 'A mail of a mailbox.',
  fields: (t) => ({
    messageId: t.exposeString('id', { description: 'Native id, `msg_…`.' }),
    mailboxId: t.exposeString('mailboxId', { description: 'The mailbox, `mbx_…`.' }),
    direction: t.expose('direction', { type: MailDirectionEnum, description: 'Where it went.' }),
    template: t.exposeString('template', { nullable: true, description: 'The template that it was made of.' }),
    fromAddress: t.exposeString('fromAddress', { description: 'The address that it is from.' }),
    fromName: t.exposeString('fromName', { nullable: true, description: 'The name that it is from.' }),
    to: t.exposeString('recipient', { description: 'The address that it is to.' }),
    subject: t.exposeString('subject', { description: 'Its subject.' }),
    status: t.expose('status', { type: MailStatusEnum, description: 'What became of it.' }),
    deliveryState: t.string({
      description: 'The same as mail servers say it, for example `accepted`.',
      resolve: deliveryStateOf,
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The request that sent it, `req_…`, or the run or job of a function; null for mail that came in.',
    }),
    provider: t.exposeString('provider', { nullable: true, description: 'What took it.' }),
    providerMessageId: t.string({
      nullable: true,
      description: 'What the mail server calls it, or else its `Message-ID`.',
      resolve: providerIdOf,
    }),
    bounceType: t.exposeString('bounceType', {
      nullable: true,
      description: 'Whether a mail that came back did so for good: `Permanent` or `Transient`.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why it was not taken the last time, or came back.',
    }),
    attachmentsMeta: t.field({
      type: [MailAttachmentRef],
      nullable: true,
      description: 'The files that it carries.',
      resolve: ({ attachments }) => (attachments === null ? null : [...attachments]),
    }),
    inReplyToMessageId: t.exposeString('inReplyToId', {
      nullable: true,
      description: 'The mail that it answers, `msg_…`.',
    }),
    isAutomatic: t.exposeBoolean('isAutomatic', {
      description: 'Whether a program sent it, such as a notice of absence: it is no reply.',
    }),
    authentication: t.field({
      type: MailAuthenticationRef,
      nullable: true,
      description: 'What the domains of a mail that came in say of it.',
      resolve: ({ authentication }) => authentication,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written, or came in.' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', nullable: true, description: 'When the mail server took it.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', nullable: true, description: 'When it came in.' }),
  }),
});

const MailboxMessageRef = builder.objectRef<MailboxMessage>('MailboxMessage').implement({
  description: 'A mail of a mailbox, as lists show it.',
  interfaces: [MailFields],
});

const MailReplyRef = builder.objectRef<ReadMessage['replies'][number]>('MailReply').implement({
  description: 'A mail that answered another one.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Native id, `msg_…`.' }),
    from: t.exposeString('fromAddress', { description: 'The address that it is from.' }),
    body: t.exposeString('bodyText', { description: 'Its text.' }),
    receivedAt: t.field({
      type: 'DateTime',
      description: 'When it came in.',
      resolve: ({ receivedAt, createdAt }) => receivedAt ?? createdAt,
    }),
  }),
});

const MailDetailRef = builder.objectRef<ReadMessage>('MailboxMessageDetail').implement({
  description: 'A mail of a mailbox with its text.',
  interfaces: [MailFields],
  fields: (t) => ({
    bodyText: t.exposeString('bodyText', { description: 'Its text.' }),
    bodyHtml: t.exposeString('bodyHtml', {
      nullable: true,
      description: 'Its HTML, as it was sent or came in: of strangers, so show it without scripts.',
    }),
    variables: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The values of its template.',
      resolve: ({ variables }) => variables,
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
    replies: t.field({
      type: [MailReplyRef],
      description: 'The newest hundred mails that answered it.',
      resolve: ({ replies }) => [...replies],
    }),
  }),
});

const RawMailRef = builder.objectRef<RawMail>('RawMail').implement({
  description: 'The bytes of a mail that came in.',
  fields: (t) => ({
    messageId: t.exposeString('messageId', { description: 'The mail, `msg_…`.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the bytes, in hex.' }),
    sizeBytes: t.exposeInt('size', { description: 'Their length.' }),
    contentBase64: t.string({
      nullable: true,
      description: 'The bytes, in base64; null for more than 256 KiB, which the path of REST answers.',
      resolve: async (raw, _args, ctx) => (await getRawMail.toWire(raw, ctx)).content_base64,
    }),
  }),
});

const MailboxMessageConnection = builder.connectionObject({
  type: MailboxMessageRef,
  name: 'MailboxMessageConnection',
});

const listInputs = inputsOf(listMailboxMessages, {
  omit: ['project', 'limit', 'after', 'before', 'from_end'],
  types: { direction: MailDirectionEnum },
});

builder.objectField(ProjectRef, 'mail', (t) =>
  t.field({
    type: MailboxMessageConnection,
    nullable: true,
    ...fieldOf(listMailboxMessages),
    args: { ...pageArgs, ...listInputs.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(
        await run(listMailboxMessages, ctx, { project: id, ...listInputs.read(args), ...listWindowOf(args) }),
        args,
      ),
  }),
);

readField('mailboxMessage', getMailboxMessage, { type: MailDetailRef });
readField('rawMail', getRawMail, { type: RawMailRef });

const MailboxMessageEventRef = builder.objectRef<MailboxMessageChanged>('MailboxMessageEvent').implement({
  description: 'A mail as it stood after a change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    message: t.expose('message', { type: MailboxMessageRef, description: 'The mail.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openMailboxMessages, { omit: ['cursor'] });

builder.subscriptionField('mailboxMessages', (t) =>
  t.field({
    type: MailboxMessageEventRef,
    description: 'What comes into a mailbox and what becomes of what it sends, from now on or since a cursor.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...wanted }, ctx) =>
      followMailbox(ctx, { ...opened.read(wanted), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
);

const MailTemplateEnum = builder.enumType('MailTemplate', {
  description: 'What a mail is made of.',
  values: {
    PROJECT_INVITE: { value: 'project_invite', description: 'An invitation to a project.' },
    MAGIC_LINK: { value: 'magic_link', description: 'A link or a code to sign in with.' },
    NOTIFICATION: { value: 'notification', description: 'A message of an application.' },
  } as const,
});

changeField('sendMail', sendMailboxMail, {
  type: MailboxMessageRef,
  input: 'A mail to send.',
  argument: 'The mail.',
  types: {
    template: MailTemplateEnum,
    attachments: { name: 'MailAttachmentInput', description: 'A file that a mail carries.' },
  },
});
