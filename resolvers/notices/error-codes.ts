import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const noticeErrors = defineErrors({
  RULE_REF_NOT_FOUND: row(404, 'not_found', 'There is no such chat or project to make a rule of.', {
    nextActions: [
      {
        type: 'edit_request',
        method: 'GET',
        path: '/agent/v1/notifications/channels',
        why: 'See which chats there are.',
      },
    ],
  }),
  CHAT_LIMIT_REACHED: row(409, 'conflict', 'No more chats can be connected.'),
  NOTIFICATION_RULE_LIMIT_REACHED: row(409, 'conflict', 'There can be no more rules.'),
  CHAT_CHANNEL_NOT_CONFIGURED: row(503, 'upstream', 'The operator has not set a chat provider up.', {
    nextActions: [
      {
        type: 'edit_request',
        method: 'POST',
        path: '/agent/v1/notifications/channels/chat',
        why: 'Give the `url` of an incoming webhook: that needs no provider.',
      },
    ],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof noticeErrors, ErrorRow> {}
}
