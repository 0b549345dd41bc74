import { createdAt, id, moment } from '../columns.ts';
import {
  boolean,
  check,
  foreignKey,
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
import { orgs } from './orgs.ts';

export type Severity = 'normal' | 'high';
export type EscalationStatus = 'open' | 'acknowledged' | 'resolved';

/** A step of the ladder. `at` is ISO 8601. */
export interface Climb {
  readonly from_level: number;
  readonly to_level: number;
  readonly at: string;
  readonly reason: 'deadline_lapsed';
}

/** Whom an organization's agents page. Attention, never authority: being a contact allows nothing. */
export const escalationContacts = pgTable(
  'escalation_contacts',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    /** Normalised. */
    email: text('email').notNull(),
    displayName: text('display_name'),
    /** 1 is paged first. */
    level: integer('level').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    uniqueIndex('escalation_contacts_rung_uq').on(t.orgId, t.email, t.level),
  ],
);

/** An agent asks the humans of its organization to look. The row is the ladder: it says what is due. */
export const escalations = pgTable(
  'escalations',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    /** Not a reference: an escalation outlives its project. */
    projectId: id('project_id'),
    /** Principal that it is attributed to. */
    raisedBy: id('raised_by').notNull(),
    delegateId: uuid('delegate_id'),
    presenceName: text('presence_name'),
    severity: text('severity').$type<Severity>().notNull(),
    /** Verbatim, at most 4 KiB. */
    reason: text('reason').notNull(),
    details: jsonb('details').$type<Readonly<Record<string, unknown>>>().notNull(),
    status: text('status').$type<EscalationStatus>().notNull().default('open'),
    /** The level that is paged. */
    level: integer('level').notNull(),
    /** Only ever appended to. */
    climbs: jsonb('climbs').$type<readonly Climb[]>().notNull().default([]),
    repageCount: integer('repage_count').notNull().default(0),
    /** How often contacts were paged so far: the number of the last wave. */
    waves: integer('waves').notNull().default(0),
    /** When the page climbs, or would have. */
    deadlineAt: moment('deadline_at').notNull(),
    /** When the ladder has something to do; null while it rests. */
    dueAt: moment('due_at'),
    /** There was no contact to page: the next one that is added will be. */
    awaitsContact: boolean('awaits_contact').notNull().default(false),
    idempotencyKey: text('idempotency_key'),
    acknowledgedAt: moment('acknowledged_at'),
    acknowledgedByEmail: text('acknowledged_by_email'),
    acknowledgedVia: text('acknowledged_via').$type<'token' | 'authenticated'>(),
    resolvedAt: moment('resolved_at'),
    resolvedByEmail: text('resolved_by_email'),
    resolvedNote: text('resolved_note'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    uniqueIndex('escalations_replay_uq').on(t.orgId, t.raisedBy, t.idempotencyKey),
    // Read backwards: `desc` of an index puts nulls last, that of a list first, and one does not serve the other.
    index('escalations_newest_idx').on(t.orgId, t.createdAt, t.id),
    index('escalations_status_idx').on(t.orgId, t.status, t.createdAt, t.id),
    // What one principal has raised, wherever: its own lists, and what it may raise in a day.
    index('escalations_raiser_idx').on(t.raisedBy, t.orgId, t.createdAt, t.id),
    index('escalations_open_idx').on(t.orgId).where(sql`${t.status} = 'open'`),
    // What the ladder looks for.
    index('escalations_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    check('escalations_reason_size', sql`octet_length(${t.reason}) <= 4096`),
    check('escalations_ladder', sql`${t.status} = 'open' or (${t.dueAt} is null and not ${t.awaitsContact})`),
  ],
);

/** A page to one contact. The key makes it one for each wave, whichever node climbs and however often. */
export const escalationPages = pgTable(
  'escalation_pages',
  {
    orgId: uuid('org_id').notNull(),
    escalationId: uuid('escalation_id').notNull(),
    wave: integer('wave').notNull(),
    contactId: uuid('contact_id').notNull(),
    /** As it was when the page was written. */
    email: text('email').notNull(),
    displayName: text('display_name'),
    level: integer('level').notNull(),
    /** SHA-256 of what acknowledges by one tap. */
    tokenHash: text('token_hash').notNull(),
    tokenExpiresAt: moment('token_expires_at').notNull(),
    mailId: id('mail_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.escalationId, t.wave, t.contactId] }),
    foreignKey({
      columns: [t.orgId, t.escalationId],
      foreignColumns: [escalations.orgId, escalations.id],
      name: 'escalation_pages_escalation_fk',
    }).onDelete('cascade'),
    uniqueIndex('escalation_pages_token_uq').on(t.tokenHash),
    uniqueIndex('escalation_pages_mail_uq').on(t.mailId),
  ],
);

export type AttemptStatus = 'delivered' | 'failed_transient' | 'failed_permanent' | 'skipped_disabled';

/** What became of each try to deliver a page; written by the worker that tried, and never changed. */
export const escalationAttempts = pgTable(
  'escalation_attempts',
  {
    orgId: uuid('org_id').notNull(),
    escalationId: uuid('escalation_id').notNull(),
    mailId: id('mail_id').notNull(),
    /** Counted from 1; 0 means that it was not tried. */
    attempt: integer('attempt').notNull(),
    email: text('email').notNull(),
    channel: text('channel').$type<'email' | 'chat' | 'webhook'>().notNull(),
    status: text('status').$type<AttemptStatus>().notNull(),
    error: text('error'),
    at: moment('at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.escalationId, t.mailId, t.attempt] }),
    foreignKey({
      columns: [t.orgId, t.escalationId],
      foreignColumns: [escalations.orgId, escalations.id],
      name: 'escalation_attempts_escalation_fk',
    }).onDelete('cascade'),
  ],
);

export type EscalationContact = typeof escalationContacts.$inferSelect;
export type Escalation = typeof escalations.$inferSelect;
export type DeliveryAttempt = typeof escalationAttempts.$inferSelect;
