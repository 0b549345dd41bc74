import {
  digestCadences,
  lifecycleModes,
  noticeChannels,
  noticeKinds,
  noticeStates,
  thresholdModes,
} from '../db/schema/notices.ts';
import { type ChatBinding, codeEndOf } from '../resolvers/notices/chat/binding.ts';
import { type ConnectedChat, connectChat, connectUrls } from '../resolvers/notices/chat/connect-chat.ts';
import { disconnectChat } from '../resolvers/notices/chat/disconnect-chat.ts';
import { getNotice } from '../resolvers/notices/get-notice.ts';
import { getNoticePreferences } from '../resolvers/notices/get-preferences.ts';
import { listNoticeChannels, type NoticeChannels } from '../resolvers/notices/list-channels.ts';
import { listNotices } from '../resolvers/notices/list-notices.ts';
import type { Notice } from '../resolvers/notices/notice.ts';
import type { Preferences } from '../resolvers/notices/preferences.ts';
import { type RotatedSecret, rotateWebhookSecret } from '../resolvers/notices/rotate-secret.ts';
import { createNoticeRule, deleteNoticeRule, updateNoticeRule } from '../resolvers/notices/rules/change-rules.ts';
import { listNoticeRules } from '../resolvers/notices/rules/list-rules.ts';
import type { NoticeRule } from '../resolvers/notices/rules/rule.ts';
import { setNoticePreferences } from '../resolvers/notices/set-preferences.ts';
import {
  drainedOf,
  type NoticeOutcome,
  type NoticeTest,
  noteOf,
  outcomeOf,
  statusOf,
  testNotice,
} from '../resolvers/notices/test-notice.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { run } from './run.ts';

const KindEnum = enumOf('NotificationKind', 'Why somebody is told.', noticeKinds, {
  digest: 'A summary has come due.',
  lifecycle_event: 'Something happened.',
  threshold_alert: 'A limit comes near, or is reached.',
  missing_verified_recipient: 'Something happened, and nobody had a verified mail address.',
});

const ChannelEnum = enumOf('NotificationChannel', 'By what somebody is told.', noticeChannels, {
  email: 'By mail.',
  webhook: 'By a signed request to the webhook.',
  chat: 'In a chat.',
  skipped: 'By nothing.',
});

const StateEnum = enumOf('NotificationState', 'How a notice went.', noticeStates, {
  delivered: 'The receiver has it.',
  failed_transient: 'An attempt failed; it is tried again.',
  failed_permanent: 'It was given up.',
  skipped_no_recipient: 'There was nobody to tell.',
  skipped_disabled: 'Its reader wants none.',
  deferred: 'It waits for its first attempt.',
});

const CadenceEnum = enumOf('DigestCadence', 'How often a summary is mailed.', digestCadences, {
  off: 'Never.',
  daily: 'Each day.',
  weekly: 'Each week.',
  monthly: 'On the first of each month.',
});

const ThresholdEnum = enumOf('ThresholdAlerts', 'When it is told that a limit comes near.', thresholdModes, {
  off: 'Never.',
  digest_only: 'In summaries.',
  immediate: 'At once.',
});

const LifecycleEnum = enumOf('LifecycleNotices', 'Which events are told at once.', lifecycleModes, {
  off: 'Those alone that always are.',
  critical_only: 'Those that need somebody soon.',
  all: 'All.',
});

const NoticeRef = builder.objectRef<Notice>('Notification').implement({
  description: 'What an operator was told once, by one channel.',
  fields: (t) => ({
    notificationId: t.exposeString('id', { description: 'Native id, `ntf_…`.' }),
    recipientEmail: t.exposeString('recipientEmail', {
      nullable: true,
      description: 'Verified address of its reader.',
    }),
    kind: t.expose('kind', { type: KindEnum, description: 'Why it was told.' }),
    eventType: t.exposeString('eventType', { nullable: true, description: 'What was told of.' }),
    channel: t.expose('channel', { type: ChannelEnum, description: 'By what.' }),
    deliveryStatus: t.expose('state', { type: StateEnum, description: 'How that went.' }),
    deliveryError: t.exposeString('error', { nullable: true, description: 'Why it failed, or was not sent.' }),
    attemptCount: t.exposeInt('attempts', { description: 'How often it was tried.' }),
    isTest: t.exposeBoolean('isTest', { description: 'Whether it only tried the channel out.' }),
    relatedProjectId: t.exposeString('projectId', { nullable: true, description: 'The project that it is about.' }),
    relatedOrganizationId: t.exposeString('orgId', {
      nullable: true,
      description: 'The organization that it is about.',
    }),
    relatedWalletAddress: t.exposeString('wallet', {
      nullable: true,
      description: 'The wallet whose operator was told.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was told.' }),
    redactedAt: t.expose('redactedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its payload was erased, a month later.',
    }),
    payload: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'What was told; null once it is erased.',
      resolve: ({ payload }) => (payload === null ? null : { ...payload }),
    }),
  }),
});

const NoticeConnection = builder.connectionObject({ type: NoticeRef, name: 'NotificationConnection' });

const listInputs = inputsOf(listNotices, { omit: ['limit', 'after', 'before', 'from_end'] });

builder.queryField('notifications', (t) =>
  t.field({
    type: NoticeConnection,
    nullable: true,
    ...fieldOf(listNotices),
    args: { ...pageArgs, ...listInputs.args },
    resolve: async (_root, args, ctx) =>
      listConnection(await run(listNotices, ctx, { ...listInputs.read(args), ...listWindowOf(args) }), args),
  }),
);

readField('notification', getNotice, { type: NoticeRef });

const PreferencesRef = builder.objectRef<Preferences>('NotificationPreferences').implement({
  description: 'What somebody wants to be told of, and how.',
  fields: (t) => ({
    email: t.exposeBoolean('email', { description: 'Whether notices go by mail. Some always do.' }),
    webhook: t.exposeBoolean('webhook', { description: 'Whether notices go to the webhook.' }),
    webhookUrl: t.exposeString('webhookUrl', { nullable: true, description: 'Where notices are posted.' }),
    webhookSigningSecretConfigured: t.exposeBoolean('isSigned', {
      description: 'Whether there is a secret to sign them with; nothing is posted without one.',
    }),
    webhookDisabledAt: t.expose('webhookDisabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when nothing is posted, because too much was given up.',
    }),
    digestCadence: t.expose('digestCadence', { type: CadenceEnum, description: 'How often a summary is mailed.' }),
    digestDayOfWeek: t.exposeInt('digestDay', { description: 'The day of weekly summaries; 1 is Monday.' }),
    digestHourUtc: t.exposeInt('digestHour', { description: 'The hour of summaries, in UTC.' }),
    thresholdAlerts: t.expose('thresholdAlerts', {
      type: ThresholdEnum,
      description: 'When it is told that a limit comes near.',
    }),
    lifecycleEvents: t.expose('lifecycleEvents', {
      type: LifecycleEnum,
      description: 'Which events are told at once.',
    }),
    locale: t.exposeString('locale', { description: 'How moments are written: a language tag.' }),
    timezone: t.exposeString('timezone', { description: 'In which times are written.' }),
  }),
});

readField('notificationPreferences', getNoticePreferences, { type: PreferencesRef });

changeField('setNotificationPreferences', setNoticePreferences, {
  type: PreferencesRef,
  input: 'What somebody wants to be told of.',
  argument: 'What changes.',
  types: {
    channels: { name: 'NotificationChannelsInput', description: 'Which channels are used.' },
    digest_cadence: CadenceEnum,
    threshold_alerts: ThresholdEnum,
    lifecycle_events: LifecycleEnum,
  },
  // There is nothing to choose.
  omit: ['security_events'],
});

const ChatStateEnum = enumOf('ChatBindingStatus', 'How a chat stands.', ['pending', 'active', 'revoked'] as const, {
  pending: 'Waits for its link to be pressed.',
  active: 'Notices are told there.',
  revoked: 'It was disconnected.',
});

const ChatBindingRef = builder.objectRef<ChatBinding>('ChatBinding').implement({
  description: 'A chat in which notices are told.',
  fields: (t) => ({
    bindingId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    status: t.expose('status', { type: ChatStateEnum, description: 'How it stands.' }),
    chatType: t.exposeString('chatType', { nullable: true, description: 'What the provider calls its kind.' }),
    chatTitle: t.exposeString('chatTitle', { nullable: true, description: 'What people call it there.' }),
    label: t.exposeString('label', { nullable: true, description: 'What its owner calls it.' }),
    consecutiveFailures: t.exposeInt('consecutiveFailures', { description: 'Notices that it refused in a row.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when nothing is told there, because it refused too many.',
    }),
    codeExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when its link is good.',
      resolve: codeEndOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was begun.' }),
    activatedAt: t.expose('activatedAt', { type: 'DateTime', nullable: true, description: 'When it was connected.' }),
  }),
});

const ChannelsRef = builder.objectRef<NoticeChannels>('NotificationChannels').implement({
  description: 'By what an operator can be told.',
  fields: (t) => ({
    email: t.exposeString('email', { nullable: true, description: 'Mail address.' }),
    emailVerified: t.exposeBoolean('isVerified', { description: 'Whether it is known to work.' }),
    webhookUrl: t.exposeString('webhookUrl', { nullable: true, description: 'Where notices are posted.' }),
    webhookSecretConfigured: t.exposeBoolean('isSigned', {
      description: 'Whether there is a secret to sign them with.',
    }),
    chats: t.field({
      type: [ChatBindingRef],
      description: 'Chats, newest first.',
      resolve: ({ chats }) => [...chats],
    }),
  }),
});

readField('notificationChannels', listNoticeChannels, { type: ChannelsRef });

const SecretRef = builder.objectRef<RotatedSecret>('RotateWebhookSecretPayload').implement({
  description: 'A new secret that notices are signed with.',
  fields: (t) => ({
    webhookSigningSecret: t.exposeString('secret', { description: 'The secret. It is shown this once.' }),
    rotatedAt: t.expose('rotatedAt', { type: 'DateTime', description: 'Since when notices are signed with it.' }),
  }),
});

changeField('rotateWebhookSecret', rotateWebhookSecret, {
  type: SecretRef,
  input: 'The caller’s own webhook.',
  argument: 'Nothing in particular.',
});

const OutcomeRef = builder.objectRef<NoticeOutcome>('NotificationTestOutcome').implement({
  description: 'What came of a test.',
  fields: (t) => ({
    status: t.string({ description: '`delivered`, `queued` or `skipped`.', resolve: statusOf }),
    drained: t.field({
      type: 'JSONObject',
      description: 'How many notices went how.',
      resolve: (sent) => ({ ...drainedOf(sent) }),
    }),
    note: t.string({ description: 'What became of each, in words.', resolve: noteOf }),
  }),
});

const TestRef = builder.objectRef<NoticeTest>('TestNotificationPayload').implement({
  description: 'A test that was sent.',
  fields: (t) => ({
    sourceEventId: t.exposeString('fact', { description: 'Names the test.' }),
    outcome: t.field({
      type: OutcomeRef,
      description: 'What came of it, once each notice was tried or ten seconds are over.',
      resolve: (test, _args, ctx) => outcomeOf(ctx, test),
    }),
  }),
});

const ConnectedRef = builder.objectRef<ConnectedChat>('ConnectChatPayload').implement({
  description: 'A chat that is connected, or that a link connects.',
  fields: (t) => ({
    bindingId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    status: t.expose('status', { type: ChatStateEnum, description: 'How it stands.' }),
    label: t.exposeString('label', { nullable: true, description: 'What its owner calls it.' }),
    connectUrl: t.string({
      nullable: true,
      description: 'Pressed by a person, it connects their chat. It is shown this once.',
      resolve: (connected) => connectUrls(connected).own,
    }),
    connectGroupUrl: t.string({
      nullable: true,
      description: 'Pressed by a person, it connects a group of theirs. Either link is good once.',
      resolve: (connected) => connectUrls(connected).group,
    }),
    codeExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the links are good.',
      resolve: ({ code }) => code?.expiresAt ?? null,
    }),
  }),
});

changeField('connectChat', connectChat, { type: ConnectedRef, input: 'A chat to connect.', argument: 'The chat.' });

const DisconnectedRef = builder.objectRef<{ readonly id: string }>('DisconnectChatPayload').implement({
  description: 'A chat that was disconnected.',
  fields: (t) => ({ bindingId: t.exposeString('id', { description: 'Native id, a UUID.' }) }),
});

changeField('disconnectChat', disconnectChat, {
  type: DisconnectedRef,
  input: 'A chat to disconnect.',
  argument: 'The chat.',
});

const SourceEnum = enumOf('NotificationSource', 'Where an event comes from.', ['app', 'platform'] as const, {
  app: 'An application told of it.',
  platform: 'The platform did it.',
});

const RuleRef = builder.objectRef<NoticeRule>('NotificationRule').implement({
  description: 'What is told in a chat. All that is set has to hold; null may be anything, an empty list is nothing.',
  fields: (t) => ({
    ruleId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    chatBindingId: t.exposeString('bindingId', { description: 'The chat.' }),
    projectId: t.exposeString('projectId', { nullable: true, description: 'Only events of this project.' }),
    source: t.expose('source', { type: SourceEnum, nullable: true, description: 'Only events from here.' }),
    eventTypes: t.stringList({
      nullable: true,
      description: 'Only these types.',
      resolve: ({ eventTypes }) => eventTypes,
    }),
    classes: t.stringList({ nullable: true, description: 'Only these classes.', resolve: ({ classes }) => classes }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it is told at all.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

readField('notificationRules', listNoticeRules, { type: [RuleRef] });

const ruleOptions = { argument: 'The rule.', types: { source: SourceEnum, classes: 'String' } } as const;

changeField('createNotificationRule', createNoticeRule, { type: RuleRef, input: 'A rule to make.', ...ruleOptions });
changeField('updateNotificationRule', updateNoticeRule, { type: RuleRef, input: 'A rule to change.', ...ruleOptions });
changeField('deleteNotificationRule', deleteNoticeRule, {
  type: RuleRef,
  input: 'A rule to delete.',
  argument: 'The rule.',
});

changeField('testNotification', testNotice, {
  type: TestRef,
  input: 'A notice that says it is a test.',
  argument: 'What it pretends to tell of.',
});
