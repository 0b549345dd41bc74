import { bytea, createdAt, id, moment } from '../columns.ts';
import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

export type MailboxStatus = 'active' | 'suspended' | 'deleted';

/** Whether mail says at its end where it was sent from. Contract 02, section 6.2. */
export type FooterPolicy = 'svc_transparency' | 'none';

/** Addresses of projects. A deleted one stays for as long as its address rests. */
export const mailboxes = pgTable(
  'mailboxes',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** What stands before the `@`. */
    slug: text('slug').notNull(),
    status: text('status').$type<MailboxStatus>().notNull().default('active'),
    /** Sends what names no mailbox. One of a project at most. */
    isDefaultOutbound: boolean('is_default_outbound').notNull().default(false),
    /** Sends the mails of sign-in. One of a project at most. */
    isAuthSender: boolean('is_auth_sender').notNull().default(false),
    footerPolicy: text('footer_policy').$type<FooterPolicy>().notNull().default('svc_transparency'),
    suspendedReason: text('suspended_reason').$type<'complaint' | 'hard_bounces' | 'operator'>(),
    suspendedAt: moment('suspended_at'),
    deletedAt: moment('deleted_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('mailboxes_project_idx').on(t.orgId, t.projectId, t.createdAt),
    uniqueIndex('mailboxes_slug_uq').on(t.projectId, t.slug).where(sql`${t.deletedAt} is null`),
    // Housekeeping removes those whose address has rested.
    index('mailboxes_deleted_idx').on(t.deletedAt).where(sql`${t.deletedAt} is not null`),
  ],
);

export type MailDirection = 'inbound' | 'outbound';
export type MailStatus = 'pending' | 'sent' | 'failed' | 'received' | 'delivered' | 'bounced' | 'complained';

/** What the domains of a mail that came in say of it. */
export interface StoredAuthentication {
  readonly spf: string;
  readonly dkim: string;
  readonly dmarc: string;
  readonly dmarc_policy: string | null;
  readonly from_domain: string | null;
  readonly signed_by: readonly string[];
}

/** Whether a mail that came back is worth another attempt. */
export type BounceType = 'Permanent' | 'Transient';

/** What is shown of an attachment. */
export interface AttachmentMeta {
  readonly filename: string;
  readonly content_type: string;
  readonly size_bytes: number;
}

/** Mail of mailboxes, in both directions. */
export const mailboxMessages = pgTable(
  'mailbox_messages',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    direction: text('direction').$type<MailDirection>().notNull(),
    template: text('template'),
    variables: jsonb('variables').$type<Readonly<Record<string, string>>>(),
    fromAddress: text('from_address').notNull(),
    fromName: text('from_name'),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    bodyText: text('body_text').notNull(),
    bodyHtml: text('body_html'),
    attachments: jsonb('attachments').$type<readonly AttachmentMeta[]>(),
    /** The message of the same mailbox that this one answers. */
    inReplyToId: id('in_reply_to_id'),
    /** `Message-ID` of the mail, without its brackets. */
    mailMessageId: text('mail_message_id').notNull(),
    /** `References` of the mail, each without its brackets. */
    references: text('references').array().notNull().default(sql`'{}'`),
    status: text('status').$type<MailStatus>().notNull(),
    /** The request that sent it, `req_…`, or the run or job that did; null for mail that came in. */
    requestId: text('request_id'),
    provider: text('provider'),
    /** What the mail server that took it calls it, where it says so. */
    providerMessageId: text('provider_message_id'),
    /** SHA-256 of the bytes of a mail that came in, which the object store keeps, and their length. */
    rawSha256: text('raw_sha256'),
    rawSize: integer('raw_size'),
    /** Whether a program sent it: nobody has answered. */
    isAutomatic: boolean('is_automatic').notNull().default(false),
    authentication: jsonb('authentication').$type<StoredAuthentication>(),
    bounceType: text('bounce_type').$type<BounceType>(),
    bouncedAt: moment('bounced_at'),
    /** How often the mail server was asked to take it. */
    attempts: integer('attempts').notNull().default(0),
    /** Until then the worker that sends it is believed alive. */
    leaseUntil: moment('lease_until'),
    lastError: text('last_error'),
    createdAt: createdAt(),
    sentAt: moment('sent_at'),
    receivedAt: moment('received_at'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('mailbox_messages_newest_idx').on(t.mailboxId, t.createdAt, t.id),
    index('mailbox_messages_request_idx').on(t.mailboxId, t.requestId).where(sql`${t.requestId} is not null`),
    index('mailbox_messages_replies_idx').on(t.inReplyToId).where(sql`${t.inReplyToId} is not null`),
    // Of a project that is deleted.
    index('mailbox_messages_project_idx').on(t.orgId, t.projectId),
    index('mailbox_messages_pending_idx').on(t.createdAt).where(sql`${t.status} = 'pending'`),
    // What mail that comes in answers.
    index('mailbox_messages_mail_id_idx').on(t.mailMessageId).where(sql`${t.direction} = 'outbound'`),
    index('mailbox_messages_provider_id_idx').on(t.providerMessageId).where(sql`${t.providerMessageId} is not null`),
    index('mailbox_messages_recipient_idx')
      .on(t.mailboxId, sql`lower(${t.recipient})`, t.createdAt)
      .where(sql`${t.direction} = 'outbound'`),
    // A mail that comes in again is the same, and whoever holds bytes is found by them.
    uniqueIndex('mailbox_messages_raw_uq').on(t.rawSha256, t.mailboxId).where(sql`${t.rawSha256} is not null`),
    index('mailbox_messages_bounced_idx').on(t.mailboxId, t.bouncedAt).where(sql`${t.bouncedAt} is not null`),
  ],
);

/** Bytes of attachments, for as long as their message waits to be sent. */
export const mailboxAttachments = pgTable(
  'mailbox_attachments',
  {
    messageId: id('message_id').notNull(),
    number: integer('number').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.messageId, t.number] })],
);

/** Whom an organization has written to since its usage is counted. */
export const mailRecipients = pgTable(
  'mail_recipients',
  {
    orgId: uuid('org_id').notNull(),
    since: moment('since').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    address: text('address').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.since, t.mailboxId, t.address] }),
    index('mail_recipients_created_idx').on(t.createdAt),
  ],
);

/** Addresses that are not written to any more. */
export const mailSuppressions = pgTable(
  'mail_suppressions',
  {
    address: text('address').notNull(),
    /** The project that it holds for; `*` for all of them. */
    scope: text('scope').notNull(),
    reason: text('reason').$type<'bounce' | 'complaint'>().notNull(),
    /** The message that it was learnt from, or the mail of sign-in. */
    messageId: id('message_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.address, t.scope] }), index('mail_suppressions_scope_idx').on(t.scope)],
);
