import { destinationOf, type Transfer } from '../resolvers/projects/shared/transfer-summary.ts';
import { cancelledByToWire, cancelTransfer, isSender } from '../resolvers/transfers/cancel-transfer.ts';
import { acceptTransfer, claimTransfer } from '../resolvers/transfers/complete-transfer.ts';
import type { HandedOver } from '../resolvers/transfers/hand-over.ts';
import { initiateTransfer } from '../resolvers/transfers/initiate-transfer.ts';
import type { ProjectContents } from '../resolvers/transfers/project-contents.ts';
import {
  listIncoming,
  listOutgoing,
  offeredBy,
  previewTransfer,
  retainedOf,
} from '../resolvers/transfers/read-transfers.ts';
import { type SeenTransfer, statusOf } from '../resolvers/transfers/transfer-row.ts';
import { builder } from './builder.ts';
import { listConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';

const RecipientEnum = builder.enumType('TransferRecipientKind', {
  description: 'Whom a project is offered to.',
  values: {
    WALLET: { value: 'wallet', description: 'A wallet, which accepts it.' },
    EMAIL: { value: 'email', description: 'A mail address, whose owner claims it.' },
    ORG: { value: 'org', description: 'Another organization of the same owner, which has it at once.' },
  } as const,
});

const StatusEnum = builder.enumType('ProjectTransferStatus', {
  description: 'How an offer stands.',
  values: {
    PENDING: { value: 'pending', description: 'It waits for the recipient.' },
    ACCEPTED: { value: 'accepted', description: 'The recipient has the project.' },
    CANCELLED: { value: 'cancelled', description: 'It was taken back, or declined.' },
    EXPIRED: { value: 'expired', description: 'Nobody took it up in time.' },
  } as const,
});

const FunctionRef = builder.objectRef<ProjectContents['functions'][number]>('TransferredFunction').implement({
  description: 'A function of a project that is offered.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    timeoutMs: t.int({
      nullable: true,
      description: 'Longest it may run, in milliseconds.',
      resolve: ({ timeout_ms }) => timeout_ms,
    }),
    memoryMb: t.int({
      nullable: true,
      description: 'Most memory of it, in mebibytes.',
      resolve: ({ memory_mb }) => memory_mb,
    }),
    scheduled: t.exposeBoolean('scheduled', { description: 'Whether it runs by itself.' }),
  }),
});

const ContentsRef = builder.objectRef<ProjectContents>('TransferContents').implement({
  description: 'What goes with a project, beside its data: names alone, never a value.',
  fields: (t) => ({
    customDomains: t.stringList({
      description: 'Domains of its own.',
      resolve: ({ custom_domains }) => custom_domains.map(({ hostname }) => hostname),
    }),
    subdomains: t.stringList({
      description: 'Names below the platform’s domain.',
      resolve: ({ subdomains }) => subdomains.map(({ name }) => name),
    }),
    functions: t.field({ type: [FunctionRef], description: 'Its functions.', resolve: ({ functions }) => functions }),
    secretNames: t.stringList({ description: 'Its secrets.', resolve: ({ secret_names }) => secret_names }),
    mailboxes: t.int({ description: 'How many mailboxes it has.', resolve: ({ mailbox_summary: { count } }) => count }),
    mailboxSlugs: t.stringList({
      description: 'The first of them.',
      resolve: ({ mailbox_summary: { slugs_truncated } }) => slugs_truncated,
    }),
    endedCiBindings: t.stringList({
      description: 'Bindings of CI that end with the transfer.',
      resolve: ({ ci_bindings_to_be_revoked: bindings }) => bindings.map(({ id }) => id),
    }),
  }),
});

const TransferRef = builder.objectRef<Transfer>('ProjectTransfer').implement({
  description: 'An offer of a project to somebody else, for its parties alone.',
  fields: (t) => ({
    transferId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    projectId: t.exposeString('projectId', { description: 'The project.' }),
    projectName: t.exposeString('projectName', { description: 'Its name when it was offered.' }),
    recipientKind: t.expose('recipientKind', { type: RecipientEnum, description: 'Whom it is offered to.' }),
    recipient: t.exposeString('recipient', { description: 'The wallet, the mail address, or the organization.' }),
    status: t.field({
      type: StatusEnum,
      description: 'How it stands.',
      resolve: (transfer, _args, { services }) => statusOf(transfer, services.now()),
    }),
    fromOrganizationId: t.exposeString('orgId', { description: 'The organization that offers it.' }),
    toOrganizationId: t.string({
      nullable: true,
      description: 'The organization that has it since; null before.',
      resolve: destinationOf,
    }),
    fromWallet: t.exposeString('fromWallet', {
      nullable: true,
      description: 'The wallet that offered it; null: a person in a session.',
    }),
    message: t.exposeString('message', { nullable: true, description: 'What the recipient is told.' }),
    contents: t.field({
      type: ContentsRef,
      description: 'What it is an offer of, as it was then.',
      resolve: (transfer) => offeredBy(transfer),
    }),
    termsSha256: t.exposeString('termsSha256', { description: 'Digest of that.' }),
    retainsSender: t.boolean({
      description: 'Whether whoever offers it asks to stay as a developer.',
      resolve: (transfer) => retainedOf(transfer) !== null,
    }),
    isRecipient: t.boolean({
      nullable: true,
      description: 'Whether it is meant for you; null in lists.',
      resolve: (transfer) => (transfer as Partial<SeenTransfer>).isRecipient ?? null,
    }),
    isSender: t.boolean({
      nullable: true,
      description: 'Whether you may take it back for your organization; null in lists.',
      resolve: (transfer) => {
        const { senderRole } = transfer as Partial<SeenTransfer>;
        return senderRole === undefined ? null : isSender(senderRole);
      },
    }),
    cancelledBy: t.string({
      nullable: true,
      description: 'The side that called it off, whatever it is: `from_wallet` or `to_wallet`; or `system`.',
      resolve: ({ cancelledBy }) => (cancelledBy === null ? null : cancelledByToWire(cancelledBy)),
    }),
    cancellationReason: t.exposeString('cancellationReason', { nullable: true, description: 'Why it was cancelled.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was offered.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it stands.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true, description: 'When it came to its end.' }),
  }),
});

const TransferConnection = builder.connectionObject({ type: TransferRef, name: 'ProjectTransferConnection' });

readField('incomingTransfers', listIncoming, {
  type: TransferConnection,
  paged: true,
  result: (page, args) => listConnection(page, args),
});

readField('outgoingTransfers', listOutgoing, {
  type: TransferConnection,
  paged: true,
  result: (page, args) => listConnection(page, args),
});

readField('projectTransfer', previewTransfer, { type: TransferRef });

interface Completion {
  readonly transfer: Transfer;
  readonly handedOver: HandedOver | undefined;
}

const keyOf =
  (name: keyof HandedOver['keys']) =>
  ({ handedOver }: Completion) =>
    handedOver?.keys[name] ?? null;

const payload = (name: string, description: string) =>
  builder.objectRef<Completion>(name).implement({
    description,
    fields: (t) => ({
      transfer: t.field({ type: TransferRef, description: 'The transfer.', resolve: ({ transfer }) => transfer }),
      project: t.field({
        type: ProjectRef,
        nullable: true,
        description: 'The project, once it was handed over.',
        resolve: ({ handedOver }) => handedOver?.project ?? null,
      }),
      anonKey: t.string({
        nullable: true,
        description: 'Its anon key, once it was handed over: the same as before.',
        resolve: keyOf('anonKey'),
      }),
      serviceKey: t.string({
        nullable: true,
        description: 'Its service key, once it was handed over: another one than before.',
        resolve: keyOf('serviceKey'),
      }),
      inheritedSecrets: t.stringList({
        description: 'Secrets that came with it, which its former owner knows: set them anew.',
        resolve: ({ handedOver }) => [...(handedOver?.secretNames ?? [])],
      }),
    }),
  });

changeField('initiateProjectTransfer', initiateTransfer, {
  type: payload('InitiateProjectTransferPayload', 'An offer, or what has become of it at once.'),
  input: 'A project to offer.',
  argument: 'The project, and whom it is offered to.',
});

const TakenOverRef = payload('TakeProjectOverPayload', 'A project that was taken over.');

changeField('acceptProjectTransfer', acceptTransfer, {
  type: TakenOverRef,
  input: 'An offer to a wallet to accept.',
  argument: 'The transfer.',
});

changeField('claimProjectTransfer', claimTransfer, {
  type: TakenOverRef,
  input: 'An offer to a mail address to claim.',
  argument: 'The transfer, and the organization that is to have the project.',
});

changeField('cancelProjectTransfer', cancelTransfer, {
  type: TransferRef,
  input: 'An offer to cancel.',
  argument: 'The transfer.',
});
