import { bytea, createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { principals } from './identity.ts';

export const digestCadences = ['off', 'daily', 'weekly', 'monthly'] as const;
export const thresholdModes = ['off', 'digest_only', 'immediate'] as const;
export const lifecycleModes = ['off', 'critical_only', 'all'] as const;

/** What a principal wants to be told of, and how. Without a row everything is as the defaults say. */
export const noticePreferences = pgTable(
  'notice_preferences',
  {
    principalId: id('principal_id')
      .primaryKey()
      .references(() => principals.id),
    email: boolean('email').notNull().default(true),
    webhook: boolean('webhook').notNull().default(true),
    digestCadence: text('digest_cadence').$type<(typeof digestCadences)[number]>().notNull().default('weekly'),
    /** 1 is Monday. */
    digestDay: integer('digest_day').notNull().default(1),
    digestHour: integer('digest_hour').notNull().default(9),
    thresholdAlerts: text('threshold_alerts').$type<(typeof thresholdModes)[number]>().notNull().default('immediate'),
    lifecycleEvents: text('lifecycle_events').$type<(typeof lifecycleModes)[number]>().notNull().default('all'),
    locale: text('locale').notNull().default('en-US'),
    timezone: text('timezone').notNull().default('UTC'),
    /** When the next digest is made; null while none is wanted. */
    digestDueAt: moment('digest_due_at'),
    /** What the last digest reaches up to. */
    digestedAt: moment('digested_at').notNull().defaultNow(),
    /** The secret that notices to the webhook are signed with, sealed for this principal. */
    webhookSecret: bytea('webhook_secret'),
    secretRotatedAt: moment('secret_rotated_at'),
    /** Notices to the webhook that were given up, one after the other. */
    webhookFailures: integer('webhook_failures').notNull().default(0),
    /** Since when nothing is sent to the webhook, because too many were. */
    webhookDisabledAt: moment('webhook_disabled_at'),
    testedAt: moment('tested_at'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [index('notice_preferences_digest_idx').on(t.digestDueAt).where(sql`${t.digestDueAt} is not null`)],
);

export const noticeKinds = ['digest', 'lifecycle_event', 'threshold_alert', 'missing_verified_recipient'] as const;
export const noticeChannels = ['email', 'webhook', 'chat', 'skipped'] as const;
export const noticeStates = [
  'delivered',
  'failed_transient',
  'failed_permanent',
  'skipped_no_recipient',
  'skipped_disabled',
  'deferred',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];
export type NoticeChannel = (typeof noticeChannels)[number];
export type NoticeState = (typeof noticeStates)[number];

/**
 * What somebody was told, by which channel, and how that went. A row of a webhook is leased work of `kernel/durability`;
 * a mail goes through the outbox, which notes here what came of it.
 */
export const notices = pgTable(
  'notices',
  {
    id: id().primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    /** What is told: `<org>:<position>` of an event. Nobody is told it twice by one channel. */
    fact: text('fact').notNull(),
    kind: text('kind').$type<NoticeKind>().notNull(),
    channel: text('channel').$type<NoticeChannel>().notNull(),
    /** The address of a mail, and whom a webhook belongs to. */
    target: text('target').notNull(),
    recipientEmail: text('recipient_email'),
    eventType: text('event_type'),
    orgId: uuid('org_id'),
    projectId: id('project_id'),
    /** What is told, as it is posted; null once it is redacted. */
    payload: jsonb('payload').$type<Readonly<Record<string, unknown>>>(),
    redactedAt: moment('redacted_at'),
    isTest: boolean('is_test').notNull().default(false),
    state: text('state').$type<NoticeState>().notNull().default('deferred'),
    error: text('error'),
    attempts: integer('attempts').notNull().default(0),
    mailId: id('mail_id'),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what is over, and for mail. */
    dueAt: moment('due_at'),
    /** Names the hold of a node. */
    lease: text('lease'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('notices_fact_uq').on(t.fact, t.channel, t.target),
    index('notices_newest_idx').on(t.principalId, t.createdAt, t.id),
    index('notices_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('notices_lane_idx').on(t.principalId, t.dueAt).where(sql`${t.dueAt} is not null`),
    index('notices_mail_idx').on(t.mailId).where(sql`${t.mailId} is not null`),
    index('notices_created_idx').on(t.createdAt),
    // How many mails an address was sent lately.
    index('notices_target_idx').on(t.target, t.createdAt).where(sql`${t.channel} = 'email'`),
  ],
);

export type ThresholdLevel = 'warn' | 'critical';

/** Limits that an organization comes near to, or has reached. */
export const usageThresholds = pgTable(
  'usage_thresholds',
  {
    orgId: uuid('org_id').notNull(),
    resource: text('resource').notNull(),
    level: text('level').$type<ThresholdLevel>().notNull(),
    crossedAt: moment('crossed_at').notNull().defaultNow(),
    /** Counted from 0 to the limit, in whatever the resource is counted in. */
    lastValue: text('last_value').notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.resource] })],
);

export type ChatKind = 'telegram' | 'incoming_webhook';
export type ChatState = 'pending' | 'active' | 'revoked';

/** Chats that a principal has notices told in. */
export const chatBindings = pgTable(
  'chat_bindings',
  {
    id: uuid('id').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    kind: text('kind').$type<ChatKind>().notNull(),
    status: text('status').$type<ChatState>().notNull(),
    /** SHA-256 of what somebody says in the chat that is to be connected. */
    codeHash: text('code_hash'),
    codeExpiresAt: moment('code_expires_at'),
    chatId: bigint('chat_id', { mode: 'bigint' }),
    chatType: text('chat_type'),
    chatTitle: text('chat_title'),
    label: text('label'),
    /** The address of an incoming webhook, which is a secret: sealed for this binding. */
    sealedUrl: bytea('sealed_url'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    /** Since when nothing is told there, because too much was refused for good. */
    disabledAt: moment('disabled_at'),
    createdAt: createdAt(),
    activatedAt: moment('activated_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    uniqueIndex('chat_bindings_code_uq').on(t.codeHash),
    index('chat_bindings_principal_idx').on(t.principalId, t.createdAt),
    // What waits for its code, and what retention looks for.
    index('chat_bindings_pending_idx').on(t.codeExpiresAt).where(sql`${t.status} = 'pending'`),
    index('chat_bindings_revoked_idx').on(t.revokedAt).where(sql`${t.status} = 'revoked'`),
  ],
);

/** Which events are told in a chat. All that is set has to hold; null is whatever it is, and an empty list is nothing. */
export const noticeRules = pgTable(
  'notice_rules',
  {
    id: uuid('id').primaryKey(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    bindingId: uuid('binding_id')
      .notNull()
      .references(() => chatBindings.id, { onDelete: 'cascade' }),
    projectId: id('project_id'),
    source: text('source').$type<'app' | 'platform'>(),
    eventTypes: text('event_types').array().$type<string[]>(),
    classes: text('classes').array().$type<string[]>(),
    enabled: boolean('enabled').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('notice_rules_principal_idx').on(t.principalId, t.createdAt),
    index('notice_rules_binding_idx').on(t.bindingId),
  ],
);
