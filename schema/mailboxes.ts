import { createMailbox } from '../resolvers/mailboxes/create-mailbox.ts';
import { deleteMailbox } from '../resolvers/mailboxes/delete-mailbox.ts';
import { getMailbox } from '../resolvers/mailboxes/get-mailbox.ts';
import { listMailboxes } from '../resolvers/mailboxes/list-mailboxes.ts';
import { domainKindOf, type Mailbox } from '../resolvers/mailboxes/mailbox.ts';
import { type MailboxList, mailboxListToWire } from '../resolvers/mailboxes/mailbox-list.ts';
import { setMailboxDefaults } from '../resolvers/mailboxes/set-defaults.ts';
import { updateMailbox } from '../resolvers/mailboxes/update-mailbox.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
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
    managedAddress: t.exposeString('managedAddress', { description: 'Its address on the platform’s mail domain.' }),
    addressDomain: t.exposeString('addressDomain', { description: 'The domain of its address.' }),
    managedDomain: t.exposeString('managedDomain', { description: 'The platform’s mail domain of the project.' }),
    domainKind: t.string({
      description: '`managed`, or `custom` while it writes from a domain of the project’s own.',
      resolve: domainKindOf,
    }),
    customDomainReady: t.exposeBoolean('hasOwnAddress', {
      description: 'Whether an address below a domain of the project’s own has taken effect.',
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

builder.objectField(ProjectRef, 'mailboxes', (t) =>
  t.field({
    type: MailboxesRef,
    nullable: true,
    ...fieldOf(listMailboxes),
    resolve: ({ id }, _args, ctx) => run(listMailboxes, ctx, { project: id }),
  }),
);

readField('mailbox', getMailbox, { type: MailboxRef });
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
