import { connectChat } from '../resolvers/notices/chat/connect-chat.ts';
import { disconnectChat } from '../resolvers/notices/chat/disconnect-chat.ts';
import { getNotice } from '../resolvers/notices/get-notice.ts';
import { getNoticePreferences } from '../resolvers/notices/get-preferences.ts';
import { listNoticeChannels } from '../resolvers/notices/list-channels.ts';
import { listNotices } from '../resolvers/notices/list-notices.ts';
import { rotateWebhookSecret } from '../resolvers/notices/rotate-secret.ts';
import { createNoticeRule, deleteNoticeRule, updateNoticeRule } from '../resolvers/notices/rules/change-rules.ts';
import { listNoticeRules } from '../resolvers/notices/rules/list-rules.ts';
import { setNoticePreferences } from '../resolvers/notices/set-preferences.ts';
import { testNotice } from '../resolvers/notices/test-notice.ts';
import { route } from './route.ts';

const notifications = '/agent/v1/notifications';

/** Paths of what operators are told. Contract 02, section 5. */
export const noticeRoutes = [
  route('GET', notifications, 200, listNotices),
  route('GET', `${notifications}/preferences`, 200, getNoticePreferences),
  route('PATCH', `${notifications}/preferences`, 200, setNoticePreferences),
  route('POST', `${notifications}/test`, 200, testNotice),
  route('GET', `${notifications}/channels`, 200, listNoticeChannels),
  route('POST', `${notifications}/channels/chat`, 201, connectChat),
  route('DELETE', `${notifications}/channels/chat/:binding_id`, 200, disconnectChat, { binding: 'path binding_id' }),
  route('GET', `${notifications}/rules`, 200, listNoticeRules),
  route('POST', `${notifications}/rules`, 201, createNoticeRule),
  route('PATCH', `${notifications}/rules/:rule_id`, 200, updateNoticeRule, { rule: 'path rule_id' }),
  route('DELETE', `${notifications}/rules/:rule_id`, 200, deleteNoticeRule, { rule: 'path rule_id' }),
  route('GET', `${notifications}/:notification_id`, 200, getNotice, { notification: 'path notification_id' }),
  route('POST', '/agent/v1/webhook-secret/rotate', 201, rotateWebhookSecret),
];
