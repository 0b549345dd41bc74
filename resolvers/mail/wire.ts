import { z } from 'zod';
import type { MailMessage } from '../../db/schema/platform.ts';

export const MailWire = z
  .object({
    mail_id: z.string(),
    org_id: z.uuid().nullable(),
    recipient: z.string(),
    subject: z.string(),
    body_text: z.string(),
    state: z.enum(['queued', 'sent', 'failed']),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    created_at: z.iso.datetime(),
    sent_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OutboxMail' });

export const mailToWire = (mail: MailMessage) => ({
  mail_id: mail.id,
  org_id: mail.orgId,
  recipient: mail.recipient,
  subject: mail.subject,
  body_text: mail.bodyText,
  state: mail.state,
  attempts: mail.attempts,
  last_error: mail.lastError,
  created_at: mail.createdAt.toISOString(),
  sent_at: mail.sentAt?.toISOString() ?? null,
});
