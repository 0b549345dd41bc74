import { bigint, boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, id, moment } from '../columns.ts';
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
    leasePerpetual: boolean('lease_perpetual').notNull().default(false),
    leaseStartedAt: moment('lease_started_at').notNull(),
    leaseExpiresAt: moment('lease_expires_at').notNull(),
    /** Limits that the platform admin set for this organization alone, by limit name. */
    limitOverrides: jsonb('limit_overrides').$type<Record<string, number>>().notNull().default({}),
    /** The wallet principal whose own organization this is, made on its first project; null for created ones. */
    homeOf: id('home_of').references(() => principals.id),
    createdBy: id('created_by').references(() => principals.id),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('orgs_slug_uq').on(t.slug), uniqueIndex('orgs_home_uq').on(t.homeOf)],
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
  ],
);

export type Org = typeof orgs.$inferSelect;
export type Membership = typeof memberships.$inferSelect;
