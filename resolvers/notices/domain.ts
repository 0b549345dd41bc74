import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { chatBindings, notices as noticesTable } from '../../db/schema/notices.ts';
import { runOnce } from '../../kernel/durability/housekeeping.ts';
import { tellNoticesTask } from '../../kernel/feeds/enqueue-notices.ts';
import { domain } from '../../kernel/run/domain.ts';
import { connectChat } from './chat/connect-chat.ts';
import { disconnectChat } from './chat/disconnect-chat.ts';
import { revokeUnusedStatement } from './chat/keep-house.ts';
import { pollChats, pollChatsTask } from './chat/poll-chats.ts';
import { mailDigests, mailDigestsTask } from './digest.ts';
import { noticeErrors } from './error-codes.ts';
import { noticeEvents } from './event-types.ts';
import { getNotice } from './get-notice.ts';
import { getNoticePreferences } from './get-preferences.ts';
import { listNoticeChannels } from './list-channels.ts';
import { listNotices } from './list-notices.ts';
import { redactStatement } from './redact.ts';
import { rotateWebhookSecret } from './rotate-secret.ts';
import { createNoticeRule, deleteNoticeRule, updateNoticeRule } from './rules/change-rules.ts';
import { listNoticeRules } from './rules/list-rules.ts';
import { setNoticePreferences } from './set-preferences.ts';
import { tellEvent } from './tell-event.ts';
import { testNotice } from './test-notice.ts';
import { watchThresholds, watchThresholdsTask } from './thresholds.ts';
import { wakeNoticesTask } from './wake.ts';

export const notices = domain('notices', {
  errors: noticeErrors,
  events: noticeEvents,
  operations: [
    listNotices,
    getNotice,
    getNoticePreferences,
    setNoticePreferences,
    testNotice,
    listNoticeChannels,
    rotateWebhookSecret,
    connectChat,
    disconnectChat,
    listNoticeRules,
    createNoticeRule,
    updateNoticeRule,
    deleteNoticeRule,
  ],
  jobs: [
    { task: tellNoticesTask, run: tellEvent },
    { task: wakeNoticesTask, run: async ({ ctx }) => ctx.services.noticeDeliveries.wake() },
    { task: pollChatsTask, run: pollChats },
    { task: mailDigestsTask, run: mailDigests, everyMinutes: 10 },
    { task: watchThresholdsTask, run: watchThresholds, everyMinutes: 60 },
  ],
  expires: [
    { table: noticesTable, when: isPast(noticesTable.createdAt, '90 days') },
    {
      table: chatBindings,
      when: sql`${chatBindings.status} = 'revoked' and ${isPast(chatBindings.revokedAt, '30 days')}`,
    },
  ],
  housekeeping: {
    'redact notices': runOnce(redactStatement.with({})),
    'revoke chats that were not connected': runOnce(revokeUnusedStatement.with({})),
  },
});
