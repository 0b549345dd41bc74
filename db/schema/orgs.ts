import { createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, check, index, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { principals } from './identity.ts';

export type Role = 'owner' | 'admin' | 'developer' | 'billing' | 'viewer';
export type Tier = 'prototype' | 'hobby' | 'team';
export type LifecycleState = 'active' | 'past_due' | 'frozen' | 'dormant' | 'purged';
export type MembershipStatus = 'active' | 'invited' | 'suspended' | 'revoked';

export const orgs = pgTable(
  'orgs',
  {
    id: uuid('id').primaryKey(),
    /** Free text, not unique. */
    displayName: text('display_name'),
    /** Address form, unique over all organizations. */
    slug: text('slug'),
    tier: text('tier').$type<Tier>().notNull(),
    lifecycleState: text('lifecycle_state').$type<LifecycleState>().notNull().default('active'),
    lifecycleEnteredAt: moment('lifecycle_entered_at').notNull().defaultNow(),
    /** When the last project of a purged organization was gone; until then housekeeping looks for what is left. */
    emptiedAt: moment('emptied_at'),
    /** Active for ever, whatever its lease: the rule without leases, and what the platform admin pins with them. */
    leasePerpetual: boolean('lease_perpetual').notNull().default(true),
    leaseStartedAt: moment('lease_started_at').notNull(),
    leaseExpiresAt: moment('lease_expires_at').notNull(),
    /** What the tier allows by number, such as requests, is counted from here: moves on with each paid lease. */
    usageSince: moment('usage_since').notNull().defaultNow(),
    /** Limits that the platform admin set for this organization alone, by limit name. */
    limitOverrides: jsonb('limit_overrides').$type<Record<string, number>>().notNull().default({}),
    /** The wallet principal whose own organization this is, made on its first project; null for created ones. */
    homeOf: id('home_of').references(() => principals.id),
    /** Lower-case address that the organization's own earnings go to; null until its owner names one. */
    payoutWallet: text('payout_wallet'),
    createdBy: id('created_by').references(() => principals.id),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('orgs_slug_uq').on(t.slug),
    uniqueIndex('orgs_home_uq').on(t.homeOf),
    // The platform admin's list.
    index('orgs_newest_idx').on(t.createdAt, t.id),
    // The organizations that a day's passing moves on: each state has days of its own.
    index('orgs_lease_idx')
      .on(t.lifecycleState, t.leaseExpiresAt)
      .where(sql`not ${t.leasePerpetual} and ${t.lifecycleState} <> 'purged'`),
    index('orgs_left_idx').on(t.id).where(sql`${t.lifecycleState} = 'purged' and ${t.emptiedAt} is null`),
    // Whose events housekeeping erases.
    index('orgs_purged_idx').on(t.id).where(sql`${t.lifecycleState} = 'purged'`),
    // Their usage begins anew by the day.
    index('orgs_pinned_idx').on(t.usageSince).where(sql`${t.leasePerpetual}`),
  ],
);

/**
 * Every slug that was ever claimed, with who holds it. Which organization wins a slug is decided by this primary key,
 * never by looking first. A released one rests for its last holder alone.
 */
export const orgSlugs = pgTable(
  'org_slugs',
  {
    slug: text('slug').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    claimedAt: moment('claimed_at').notNull().defaultNow(),
    /** Null while the organization goes by it. */
    releasedAt: moment('released_at'),
    /** Until then no other organization can claim it. */
    restsUntil: moment('rests_until'),
  },
  (t) => [
    uniqueIndex('org_slugs_current_uq').on(t.orgId).where(sql`${t.releasedAt} is null`),
    index('org_slugs_org_idx').on(t.orgId),
  ],
);

/** What an organization has, in micro-dollars: the sum of its ledger, kept beside it so that a debit can be refused. */
export const orgBalances = pgTable(
  'org_balances',
  {
    orgId: uuid('org_id')
      .primaryKey()
      .references(() => orgs.id),
    /** Spendable. */
    available: bigint('available_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Set aside for work that runs or a payment that settles. */
    held: bigint('held_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    /** The part of what is spendable that was given by vouchers. It is spent first and never paid back. */
    promotional: bigint('promotional_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    /** What was taken back and is spent already: the next credit pays it first. */
    owed: bigint('owed_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Messages that were paid for and can be sent beyond a day's allowance. */
    emailCredits: bigint('email_credits', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Entries so far: the number of the newest. */
    entries: bigint('entries', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (t) => [
    check('org_balances_covered', sql`${t.available} >= 0 and ${t.held} >= 0`),
    check('org_balances_kept', sql`${t.promotional} >= 0 and ${t.owed} >= 0 and ${t.emailCredits} >= 0`),
  ],
);

/** What moved an organization's balance. Rows are only ever added: a trigger refuses everything else. */
export const ledgerEntries = pgTable(
  'ledger_entries',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    /** Dense, from 1, in the order in which the balance moved. */
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
    id: id().notNull(),
    direction: text('direction').$type<'credit' | 'debit'>().notNull(),
    kind: text('kind').notNull(),
    amount: bigint('amount_usd_micros', { mode: 'bigint' }).notNull(),
    /** Both balances after this entry. */
    availableAfter: bigint('balance_after_available', { mode: 'bigint' }).notNull(),
    heldAfter: bigint('balance_after_held', { mode: 'bigint' }).notNull(),
    /** The part of the amount that is promotional credit. */
    promotional: bigint('promotional_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    /** What it was for; with the kind it happens once, whatever is repeated. */
    referenceType: text('reference_type'),
    referenceId: text('reference_id'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull().default({}),
    /** The request that moved it or began what did, `req_…`, or the run or job of a function. */
    requestId: text('request_id'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.seq] }),
    index('ledger_entries_request_idx').on(t.orgId, t.requestId).where(sql`${t.requestId} is not null`),
    uniqueIndex('ledger_entries_reference_uq').on(t.orgId, t.referenceType, t.referenceId, t.kind),
    check('ledger_entries_positive', sql`${t.amount} > 0`),
  ],
);

export const memberships = pgTable(
  'memberships',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    id: uuid('id').notNull(),
    role: text('role').$type<Role>().notNull(),
    /** Only `active` authorizes anything. */
    status: text('status').$type<MembershipStatus>().notNull(),
    /** Address the invitation went to; null for a member who was added. */
    invitedEmail: text('invited_email'),
    /** Principal that invited. */
    invitedBy: id('invited_by'),
    inviteExpiresAt: moment('invite_expires_at'),
    /** When the invitation was last mailed. */
    inviteMailedAt: moment('invite_mailed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.principalId] }),
    // "Which organizations am I in" and the membership half of every authorization.
    index('memberships_principal_idx').on(t.principalId),
  ],
);

/**
 * What happened in an organization and by whom; written in the transaction of the change itself. Keyed by the order of
 * writing, not by organization: a principal's own changes belong to none, and an organization made up for them would
 * have to be told apart in every query of a trail.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    /** Order of writing. */
    seq: bigint('seq', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    id: id().notNull(),
    /** Null for changes outside any organization, such as a principal's own name. */
    orgId: uuid('org_id'),
    occurredAt: moment('occurred_at').notNull().defaultNow(),
    action: text('action').notNull(),
    actor: jsonb('actor').$type<Record<string, unknown>>().notNull(),
    objectKind: text('object_kind').notNull(),
    objectId: text('object_id').notNull(),
    details: jsonb('details').$type<Record<string, unknown>>().notNull().default({}),
    traceId: text('trace_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.seq] }),
    // The organization's trail, newest first.
    index('audit_events_org_idx').on(t.orgId, t.seq),
    // Where in the trail a moment lies.
    index('audit_events_time_idx').on(t.orgId, t.occurredAt, t.seq),
    // What one principal did.
    index('audit_events_actor_idx').on(t.orgId, sql`(${t.actor} -> 'principal' ->> 'principal_id')`, t.seq),
  ],
);

export type Org = typeof orgs.$inferSelect;
export type AuditEvent = typeof auditEvents.$inferSelect;
export type LedgerEntry = typeof ledgerEntries.$inferSelect;
export type Membership = typeof memberships.$inferSelect;
