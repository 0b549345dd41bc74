import { bytea, createdAt, id, moment } from '../columns.ts';
import { index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

/** Facts of the whole installation, such as the fingerprint of its root secret. */
export const platformFacts = pgTable('platform_facts', {
  key: text('key').primaryKey(),
  value: jsonb('value').$type<unknown>().notNull(),
});

/** First outcomes by idempotency key. The row is the claim; its outcome is written with the change it belongs to. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** Whose key it is: the caller's lasting identity, never its credential. */
    scope: text('scope').notNull(),
    operation: text('operation').notNull(),
    key: text('key').notNull(),
    /** SHA-256 of the input: another input under the same key is refused. */
    digest: text('digest').notNull(),
    /** Random, new with each take-over: a request that no longer holds it cannot commit. */
    leaseToken: text('lease_token').notNull(),
    leaseUntil: moment('lease_until').notNull(),
    /** The step operation that the first call began, so that a take-over continues it instead of beginning another. */
    stepId: id('step_id'),
    /** Encrypted, since it may hold secrets that a replay has to give again. Null while running. */
    outcome: bytea('outcome'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.operation, t.key] }), index('idempotency_keys_expiry_idx').on(t.expiresAt)],
);

export type MailState = 'queued' | 'sent' | 'failed';

/**
 * Mail on its way out. Sent by a worker when SMTP is configured, else kept for the operator to read. Not keyed by
 * organization: some of it belongs to none, and workers know a mail by its id alone.
 */
export const mailOutbox = pgTable(
  'mail_outbox',
  {
    id: id().primaryKey(),
    /** Null for mail of the installation itself. */
    orgId: uuid('org_id'),
    /** The mailbox that sends it, for as long as that one can. Null for the sender of the installation. */
    mailboxId: id('mailbox_id'),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    bodyText: text('body_text').notNull(),
    state: text('state').$type<MailState>().notNull().default('queued'),
    attempts: integer('attempts').notNull().default(0),
    /** Until then the worker that sends it is believed alive. Null while no worker sends it. */
    leaseUntil: moment('lease_until'),
    lastError: text('last_error'),
    createdAt: createdAt(),
    sentAt: moment('sent_at'),
  },
  (t) => [
    index('mail_outbox_newest_idx').on(t.createdAt, t.id),
    // Mail to users made for tests, which is read by their address.
    index('mail_outbox_test_idx').on(t.recipient, t.createdAt).where(sql`${t.recipient} like '%.invalid'`),
  ],
);

export type MailMessage = typeof mailOutbox.$inferSelect;
