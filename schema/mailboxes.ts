import { createMailbox } from '../resolvers/mailboxes/create-mailbox.ts';
import { deleteMailbox } from '../resolvers/mailboxes/delete-mailbox.ts';
import { getMailbox } from '../resolvers/mailboxes/get-mailbox.ts';
import { getMailboxMessage, type ReadMessage } from '../resolvers/mailboxes/get-message.ts';
import { listMailboxes } from '../resolvers/mailboxes/list-mailboxes.ts';
import { listMailboxMessages } from '../resolvers/mailboxes/list-messages.ts';
import type { Mailbox } from '../resolvers/mailboxes/mailbox.ts';
import { type MailboxList, mailboxListToWire } from '../resolvers/mailboxes/mailbox-list.ts';
import { deliveryStateOf, type MailboxMessage } from '../resolvers/mailboxes/message.ts';
import { sendMailboxMail } from '../resolvers/mailboxes/send-mail.ts';
import { setMailboxDefaults } from '../resolvers/mailboxes/set-defaults.ts';
import { updateMailbox } from '../resolvers/mailboxes/update-mailbox.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const MailboxStatusEnum = builder.enumType('MailboxStatus', {
  description: 'How a mailbox stands.',
  values: {
    ACTIVE: { value: 'active', description: 'Sends and receives.' },
    SUSPENDED: { value: 'suspended', description: 'Does neither, since too much of its mail came back.' },
    DELETED: { value: 'deleted', description: 'Is there no more.' },
  } as const,
});

const FooterPolicyEnum = builder.enumType('FooterPolicy', {
  description: 'Whether mail says at its end where it was sent from.',
  values: {
    SVC_TRANSPARENCY: { value: 'svc_transparency', description: 'A footer says it.' },
    NONE: { value: 'none', description: 'Mail is sent as given.' },
  } as const,
});

const MailboxRef = builder.objectRef<Mailbox>('Mailbox').implement({
  description: 'An address of a project, with the mail that it has sent and received.',
  fields: (t) => ({
    mailboxId: t.exposeString('id', { description: 'Native id, `mbx_…`.' }),
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    slug: t.exposeString('slug', { description: 'What stands before the `@`.' }),
    address: t.exposeString('address', { description: 'The address that it writes from.' }),
    managedAddress: t.exposeString('address', { description: 'Its address on the platform’s mail domain.' }),
    addressDomain: t.exposeString('addressDomain', { description: 'The domain of its address.' }),
    managedDomain: t.exposeString('addressDomain', { description: 'The platform’s mail domain of the project.' }),
    domainKind: t.string({ description: '`managed`.', resolve: () => 'managed' }),
    customDomainReady: t.boolean({
      description: 'Whether a domain of the project’s own is verified for mail.',
      resolve: () => false,
    }),
    status: t.expose('status', { type: MailboxStatusEnum, description: 'How it stands.' }),
    isDefaultOutbound: t.exposeBoolean('isDefaultOutbound', { description: 'Whether it sends what names no mailbox.' }),
    isAuthSender: t.exposeBoolean('isAuthSender', { description: 'Whether it sends the mails of sign-in.' }),
    canSend: t.boolean({
      description: 'Whether it sends.',
      resolve: ({ sendBlockedReason }) => sendBlockedReason === null,
    }),
    sendBlockedReason: t.exposeString('sendBlockedReason', { nullable: true, description: 'Why it does not send.' }),
    canReceive: t.boolean({
      description: 'Whether it receives.',
      resolve: ({ receiveBlockedReason }) => receiveBlockedReason === null,
    }),
    receiveBlockedReason: t.exposeString('receiveBlockedReason', {
      nullable: true,
      description: 'Why it does not receive.',
    }),
    footerPolicy: t.expose('footerPolicy', { type: FooterPolicyEnum, description: 'What was chosen for it.' }),
    effectiveFooterPolicy: t.expose('effectiveFooterPolicy', {
      type: FooterPolicyEnum,
      description: 'What is in effect: the tier may decide.',
    }),
    footerPolicyLockedReason: t.exposeString('footerPolicyLockedReason', {
      nullable: true,
      description: 'Why it cannot be chosen.',
    }),
    sendsToday: t.exposeInt('sendsToday', { description: 'Mails that it has sent in this UTC day.' }),
    uniqueRecipients: t.exposeInt('uniqueRecipients', {
      description: 'Addresses that it has written to while usage is counted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const MailboxesRef = builder.objectRef<MailboxList>('ProjectMailboxes').implement({
  description: 'The mailboxes of a project, and what mail goes through.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    mailboxes: t.field({
      type: [MailboxRef],
      description: 'Newest first.',
      resolve: ({ mailboxes }) => [...mailboxes],
    }),
    defaultOutboundMailboxId: t.exposeString('defaultOutboundMailboxId', {
      nullable: true,
      description: 'The mailbox that sends what names none, `mbx_…`.',
    }),
    authSenderMailboxId: t.exposeString('authSenderMailboxId', {
      nullable: true,
      description: 'The mailbox that sends the mails of sign-in, `mbx_…`.',
    }),
    mailboxSettings: t.field({
      type: 'JSON',
      description: 'Both of them, as REST answers them.',
      resolve: (list) => mailboxListToWire(list).mailbox_settings,
    }),
    providerReadiness: t.field({
      type: 'JSON',
      description: 'What takes outgoing mail: `smtp`, or the `outbox` of the installation.',
      resolve: ({ readiness }) => readiness.outbound,
    }),
    inboundProviderReadiness: t.field({
      type: 'JSON',
      description: 'What takes mail that comes in.',
      resolve: ({ readiness }) => readiness.inbound,
    }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done next.',
      resolve: ({ nextActions }) => nextActions,
    }),
  }),
});

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
    provider: t.exposeString('provider', { nullable: true, description: 'What took it.' }),
    providerMessageId: t.string({
      nullable: true,
      description: 'Its `Message-ID`.',
      resolve: ({ provider, mailMessageId }) => (provider === null ? null : mailMessageId),
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why it was not taken the last time.' }),
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
    bodyHtml: t.exposeString('bodyHtml', { nullable: true, description: 'Its HTML, of mail that was sent.' }),
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

const MailboxMessageConnection = builder.connectionObject({
  type: MailboxMessageRef,
  name: 'MailboxMessageConnection',
});

builder.objectField(ProjectRef, 'mailboxes', (t) =>
  t.field({
    type: MailboxesRef,
    nullable: true,
    ...fieldOf(listMailboxes),
    resolve: ({ id }, _args, ctx) => run(listMailboxes, ctx, { project: id }),
  }),
);

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

readField('mailbox', getMailbox, { type: MailboxRef });
readField('mailboxMessage', getMailboxMessage, { type: MailDetailRef });

changeField('createMailbox', createMailbox, {
  type: MailboxRef,
  input: 'A mailbox to make.',
  argument: 'The mailbox.',
});
changeField('setMailboxDefaults', setMailboxDefaults, {
  type: MailboxesRef,
  input: 'Which mailboxes send what names none.',
  argument: 'The mailboxes.',
});
changeField('updateMailbox', updateMailbox, {
  type: MailboxRef,
  input: 'A mailbox to change.',
  argument: 'The mailbox.',
  types: { footer_policy: FooterPolicyEnum },
});
changeField('deleteMailbox', deleteMailbox, {
  type: MailboxRef,
  input: 'A mailbox to delete.',
  argument: 'The mailbox.',
});
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
