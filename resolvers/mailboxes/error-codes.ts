import { again, defineErrors, type ErrorRow, edit, renewTier, row } from '../../core/error-codes.ts';

export const mailboxErrors = defineErrors({
  MAILBOX_NOT_FOUND: row(404, 'not_found', 'The project has no such mailbox.'),
  MESSAGE_NOT_FOUND: row(404, 'not_found', 'The mailbox has no such message.'),
  RAW_MESSAGE_NOT_FOUND: row(
    404,
    'not_found',
    'The bytes of this message are not kept: only those of mail that came in are.',
  ),
  WEBHOOK_NOT_FOUND: row(404, 'not_found', 'The mailbox has no such webhook.'),
  WEBHOOK_DELIVERY_NOT_FOUND: row(404, 'not_found', 'The mailbox has no such delivery.'),
  WEBHOOK_DELIVERY_NOT_FAILED: row(409, 'conflict', 'Only a delivery that was given up is sent again.'),
  MAILBOX_WEBHOOK_LIMIT_REACHED: row(409, 'quota', 'The mailbox has as many webhooks as it may have.'),
  SLUG_ALREADY_IN_USE: row(409, 'conflict', 'The project has a mailbox with this slug.', { nextActions: [edit] }),
  SLUG_IN_COOLDOWN: row(409, 'conflict', 'A mailbox with this slug was deleted not long ago: its address rests.', {
    nextActions: [edit],
  }),
  MAILBOX_LIMIT_REACHED: row(409, 'quota', 'The project has as many mailboxes as it may have.'),
  DEFAULT_MAILBOX_INVALID: row(409, 'conflict', 'The default mailbox cannot send.', { nextActions: [edit] }),
  DEFAULT_MAILBOX_REQUIRED: row(409, 'conflict', 'No mailbox is named, and the project has no default one.', {
    nextActions: [{ type: 'edit_request', method: 'PATCH', path: '/mailboxes/v1/settings', auth: 'service_key' }],
  }),
  AMBIGUOUS_MAILBOX: row(409, 'conflict', 'The project has several mailboxes: name one.', { nextActions: [edit] }),
  FOOTER_POLICY_TIER_REQUIRED: row(403, 'billing', 'The footer can be left out from the tier hobby on.', {
    nextActions: [renewTier(':tier')],
  }),
  MAILBOX_NOT_SEND_READY: row(403, 'lifecycle', 'The mailbox does not send.'),
  BRANCH_MAIL_OFF: row(409, 'conflict', 'The branch was made without mail.'),
  RECIPIENT_SUPPRESSED: row(403, 'conflict', 'Mail to this address came back or was complained about.'),
  MAILBOX_SEND_RATE_LIMITED: row(429, 'rate_limit', 'The mailbox sends too much at once.', {
    retryable: true,
    nextActions: [again],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof mailboxErrors, ErrorRow> {}
}
