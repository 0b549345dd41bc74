import { bytea, createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, index, integer, json, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

export const communityStates = ['pending', 'active', 'expired', 'revoked'] as const;

export const enrollmentModes = ['manual', 'automatic'] as const;

/** How agents may become members of a community. Kept for clients that enrol them: the gateway enrols nobody. */
export interface EnrollmentPolicy {
  readonly mode: (typeof enrollmentModes)[number];
  readonly requires_current_community_membership: true;
  readonly allowed_capabilities?: string[] | undefined;
  readonly max_grant_ttl_seconds?: number | undefined;
}

/** Chat communities that organizations have installed: relays of the protocol Nostr, each with somebody who answers for it. */
export const channelCommunities = pgTable(
  'channel_communities',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    /** Public key of the relay itself, which signs who is a member of a channel. */
    subject: text('subject').notNull(),
    /** Public key of whoever answers for the community. */
    authoritySubject: text('authority_subject').notNull(),
    /** Null until the authority has approved. */
    relayUrl: text('relay_url'),
    /** One that is pending past its end has expired. */
    status: text('status').$type<'pending' | 'active' | 'revoked'>().notNull().default('pending'),
    /** What the authority signs. */
    proofContent: text('proof_content').notNull(),
    /** The event by which it approved. */
    approvalEventId: text('approval_event_id'),
    isDefault: boolean('is_default').notNull().default(false),
    policy: jsonb('policy').$type<EnrollmentPolicy>().notNull(),
    policyRevision: integer('policy_revision').notNull().default(1),
    /** Until when it may be approved. */
    expiresAt: moment('expires_at').notNull(),
    activatedAt: moment('activated_at'),
    revokedAt: moment('revoked_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('channel_communities_org_idx').on(t.orgId, t.createdAt, t.id),
    uniqueIndex('channel_communities_active_uq').on(t.orgId, t.subject).where(sql`${t.status} = 'active'`),
    uniqueIndex('channel_communities_default_uq').on(t.orgId).where(sql`${t.isDefault}`),
  ],
);

/** Keys that messages are signed with: one lives for each community, from its first route to its last. */
export const channelKeys = pgTable(
  'channel_keys',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    communityId: id('community_id').notNull(),
    publicKey: text('public_key').notNull(),
    generation: integer('generation').notNull().default(1),
    /** Sealed for this row and generation; null once it is destroyed. */
    sealed: bytea('sealed'),
    /** The key that waits until it is a member of every channel. */
    nextPublicKey: text('next_public_key'),
    nextSealed: bytea('next_sealed'),
    /** When it was first seen among the members of a channel. */
    authorizedAt: moment('authorized_at'),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('channel_keys_community_uq').on(t.communityId).where(sql`${t.sealed} is not null`)],
);

export const routeScopes = ['listed', 'org'] as const;

export const routeStates = ['pending_authorization', 'active', 'paused', 'revoked'] as const;

export type RouteState = (typeof routeStates)[number];

export const pauseReasons = ['owner', 'delivery_failures'] as const;

/** Channels that events of projects are told in. A node has a route as a whole: leased work of `kernel/durability`. */
export const channelRoutes = pgTable(
  'channel_routes',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    communityId: id('community_id').notNull(),
    keyId: id('key_id').notNull(),
    name: text('name').notNull(),
    channelId: text('channel_id').notNull(),
    projectScope: text('project_scope').$type<(typeof routeScopes)[number]>().notNull(),
    projectIds: text('project_ids').array().notNull(),
    /** Null: every one that may be routed. */
    eventTypes: text('event_types').array(),
    eventClasses: text('event_classes').array(),
    includesOrgEvents: boolean('includes_org_events').notNull(),
    onCallPublicKey: text('on_call_public_key'),
    onCallName: text('on_call_name'),
    status: text('status').$type<RouteState>().notNull().default('pending_authorization'),
    pauseReason: text('pause_reason').$type<(typeof pauseReasons)[number]>(),
    /** What it was when it was paused, and is again. */
    resumesAs: text('resumes_as').$type<'pending_authorization' | 'active'>(),
    pausedAt: moment('paused_at'),
    revokedAt: moment('revoked_at'),
    /** Rises with each change that its owner makes. */
    revision: integer('revision').notNull().default(1),
    /** Position of the newest event when it was made. */
    startAfter: bigint('start_after', { mode: 'bigint' }).notNull(),
    /** Position of the last event that was looked at. */
    cursor: bigint('cursor', { mode: 'bigint' }).notNull(),
    /** Attempts one after the other that the relay refused, or that were the last of their delivery. */
    failures: integer('failures').notNull().default(0),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what rests. */
    dueAt: moment('due_at').defaultNow(),
    /** Names the hold of a node. */
    lease: text('lease'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('channel_routes_org_idx').on(t.orgId, t.createdAt, t.id),
    uniqueIndex('channel_routes_name_uq').on(t.communityId, t.name).where(sql`${t.status} <> 'revoked'`),
    index('channel_routes_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('channel_routes_lane_idx').on(t.communityId, t.dueAt).where(sql`${t.dueAt} is not null`),
  ],
);

export const deliveryKinds = ['event', 'test'] as const;

export const channelDeliveryStates = [
  'queued',
  'retryable',
  'delivered',
  'suppressed',
  'dead_letter',
  'cancelled',
] as const;

export type ChannelDeliveryState = (typeof channelDeliveryStates)[number];

/** What channels were told, or are to be. */
export const channelDeliveries = pgTable(
  'channel_deliveries',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    routeId: id('route_id').notNull(),
    kind: text('kind').$type<(typeof deliveryKinds)[number]>().notNull(),
    status: text('status').$type<ChannelDeliveryState>().notNull().default('queued'),
    eventType: text('event_type').notNull(),
    projectId: id('project_id'),
    /** Of the event in its organization's log; null for a test. */
    position: bigint('position', { mode: 'bigint' }),
    payload: json('payload').$type<Readonly<Record<string, unknown>>>().notNull(),
    occurredAt: moment('occurred_at').notNull(),
    /** What is sent, byte for byte, from the first attempt on. */
    envelope: text('envelope'),
    envelopeEventId: text('envelope_event_id'),
    projectionHash: text('projection_hash'),
    signingGeneration: integer('signing_generation'),
    attempts: integer('attempts').notNull().default(0),
    /** When it is tried next; null for what is over. */
    nextAttemptAt: moment('next_attempt_at').defaultNow(),
    /** Since when it is tried: it was queued then, or its route was resumed. */
    armedAt: moment('armed_at').notNull().defaultNow(),
    lastError: text('last_error'),
    suppressedReason: text('suppressed_reason').$type<'project_left_organization' | 'project_deleted'>(),
    releaseId: text('release_id'),
    /** What messages of one thread share: their release, or their incident. */
    thread: text('thread'),
    /** The first message of its thread; null for that one. */
    threadRootId: id('thread_root_id'),
    deliveredAt: moment('delivered_at'),
    terminalAt: moment('terminal_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('channel_deliveries_event_uq').on(t.routeId, t.position),
    uniqueIndex('channel_deliveries_root_uq')
      .on(t.routeId, t.thread)
      .where(sql`${t.thread} is not null and ${t.threadRootId} is null`),
    index('channel_deliveries_newest_idx').on(t.routeId, t.createdAt, t.id),
    index('channel_deliveries_due_idx').on(t.routeId, t.nextAttemptAt).where(sql`${t.nextAttemptAt} is not null`),
    index('channel_deliveries_created_idx').on(t.createdAt),
    index('channel_deliveries_project_idx').on(t.orgId, t.projectId),
  ],
);
