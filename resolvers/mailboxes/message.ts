import { z } from 'zod';
import { mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, type RowOf } from '../../db/sql.ts';

/** What a list shows of a message. */
export const messageColumns = pick(
  mailboxMessages,
  'id',
  'mailboxId',
  'direction',
  'template',
  'fromAddress',
  'fromName',
  'recipient',
  'subject',
  'status',
  'requestId',
  'provider',
  'providerMessageId',
  'mailMessageId',
  'attachments',
  'inReplyToId',
  'isAutomatic',
  'authentication',
  'bounceType',
  'lastError',
  'createdAt',
  'sentAt',
  'receivedAt',
);

export type MailboxMessage = RowOf<typeof messageColumns>;

/** How the states of a message are called by what became of its delivery. */
const deliveryStates = {
  pending: 'pending_provider',
  sent: 'accepted',
  failed: 'failed',
  received: 'received',
  delivered: 'delivered',
  bounced: 'bounced',
  complained: 'complained',
} as const satisfies Record<MailboxMessage['status'], string>;

export const deliveryStateOf = ({ status }: Pick<MailboxMessage, 'status'>) => deliveryStates[status];

/** What the mail server calls it, or else its `Message-ID`; null before one has it. */
export const providerIdOf = ({
  provider,
  providerMessageId,
  mailMessageId,
}: Pick<MailboxMessage, 'provider' | 'providerMessageId' | 'mailMessageId'>): string | null =>
  provider === null ? null : (providerMessageId ?? mailMessageId);

const statuses = ['pending', 'sent', 'failed', 'received', 'delivered', 'bounced', 'complained'] as const;

export const AttachmentMetaWire = z
  .object({ filename: z.string(), content_type: z.string(), size_bytes: z.int() })
  .meta({ id: 'MailAttachment' });

/** What the domains of a mail that came in say of it. RFC 8601. */
export const MailAuthenticationWire = z
  .object({
    spf: z.string(),
    dkim: z.string(),
    dmarc: z.string(),
    dmarc_policy: z.string().nullable(),
    from_domain: z.string().nullable(),
    signed_by: z.array(z.string()),
  })
  .meta({ id: 'MailAuthentication' });

/** Contract 02, section 6.4. */
export const messageShape = {
  message_id: z.string(),
  id: z.string(),
  mailbox_id: z.string(),
  direction: z.enum(['inbound', 'outbound']),
  template: z.string().nullable(),
  from_address: z.string(),
  from_name: z.string().nullable(),
  to: z.string(),
  subject: z.string().nullable(),
  status: z.enum(statuses),
  delivery_state: z.string(),
  request_id: z.string().nullable(),
  provider: z.string().nullable(),
  provider_message_id: z.string().nullable(),
  bounce_type: z.enum(['Permanent', 'Transient']).nullable(),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
  sent_at: z.iso.datetime().nullable(),
  received_at: z.iso.datetime().nullable(),
  attachments_meta: z.array(AttachmentMetaWire).nullable(),
  in_reply_to_message_id: z.string().nullable(),
  is_automatic: z.boolean(),
  authentication: MailAuthenticationWire.nullable(),
};

export const MailboxMessageWire = z.object(messageShape).meta({ id: 'MailboxMessage' });

export const messageToWire = (message: MailboxMessage) => ({
  message_id: message.id,
  id: message.id,
  mailbox_id: message.mailboxId,
  direction: message.direction,
  template: message.template,
  from_address: message.fromAddress,
  from_name: message.fromName,
  to: message.recipient,
  subject: message.subject,
  status: message.status,
  delivery_state: deliveryStateOf(message),
  request_id: message.requestId,
  provider: message.provider,
  provider_message_id: providerIdOf(message),
  bounce_type: message.bounceType,
  last_error: message.lastError,
  created_at: message.createdAt.toISOString(),
  sent_at: message.sentAt?.toISOString() ?? null,
  received_at: message.receivedAt?.toISOString() ?? null,
  attachments_meta: message.attachments === null ? null : [...message.attachments],
  in_reply_to_message_id: message.inReplyToId,
  is_automatic: message.isAutomatic,
  authentication:
    message.authentication === null
      ? null
      : { ...message.authentication, signed_by: [...message.authentication.signed_by] },
});
