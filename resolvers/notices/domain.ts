import { isPast } from '../../db/intervals.ts';
import { notices as noticesTable } from '../../db/schema/notices.ts';
import { runOnce } from '../../kernel/durability/housekeeping.ts';
import { tellNoticesTask } from '../../kernel/feeds/enqueue-notices.ts';
import { domain } from '../../kernel/run/domain.ts';
import { mailDigests, mailDigestsTask } from './digest.ts';
import { noticeEvents } from './event-types.ts';
import { getNotice } from './get-notice.ts';
import { getNoticePreferences } from './get-preferences.ts';
import { listNoticeChannels } from './list-channels.ts';
import { listNotices } from './list-notices.ts';
import { redactStatement } from './redact.ts';
import { rotateWebhookSecret } from './rotate-secret.ts';
import { setNoticePreferences } from './set-preferences.ts';
import { tellEvent } from './tell-event.ts';
import { testNotice } from './test-notice.ts';
import { watchThresholds, watchThresholdsTask } from './thresholds.ts';
import { wakeNoticesTask } from './wake.ts';

export const notices = domain('notices', {
  events: noticeEvents,
  operations: [
    listNotices,
    getNotice,
    getNoticePreferences,
    setNoticePreferences,
    testNotice,
    listNoticeChannels,
    rotateWebhookSecret,
  ],
  jobs: [
    { task: tellNoticesTask, run: tellEvent },
    { task: wakeNoticesTask, run: async ({ ctx }) => ctx.services.noticeDeliveries.wake() },
    { task: mailDigestsTask, run: mailDigests, everyMinutes: 10 },
    { task: watchThresholdsTask, run: watchThresholds, everyMinutes: 60 },
  ],
  expires: [{ table: noticesTable, when: isPast(noticesTable.createdAt, '90 days') }],
  housekeeping: { 'redact notices': runOnce(redactStatement.with({})) },
});
