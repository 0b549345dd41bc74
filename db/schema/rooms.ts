import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, id, moment } from '../columns.ts';
import { orgs } from './orgs.ts';

/** Where each feed stands. Taking the next position locks the row, so all readers of a feed see one order. */
export const feedHeads = pgTable(
  'feed_heads',
  {
    orgId: uuid('org_id').notNull(),
    /** `room`, later `events` and others. */
    kind: text('kind').notNull(),
    feedId: text('feed_id').notNull(),
    /** Position of the newest row; positions of a feed are dense and start at 1. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    /** Rows up to here are gone by retention. */
    floor: bigint('floor', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.kind, t.feedId] })],
);

export const rooms = pgTable(
  'rooms',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** A project's id (its default room) or a label the organization chose; with the organization it is the room. */
    key: text('key').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.key] })],
);

/** One session in one room. The server never guesses a session from a credential. */
export const roomPresences = pgTable(
  'room_presences',
  {
    orgId: uuid('org_id').notNull(),
    id: id().notNull(),
    roomKey: text('room_key').notNull(),
    principalId: id('principal_id').notNull(),
    /** Unique in the room for ever, without regard to letter case. */
    name: text('name').notNull(),
    task: text('task'),
    program: text('program'),
    model: text('model'),
    /** Lets the same principal come back as the same presence. */
    sessionKey: text('session_key'),
    lastActive: moment('last_active').notNull(),
    expiresAt: moment('expires_at').notNull(),
    leftAt: moment('left_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Presences are asked for by id alone, too; ids are random, so they stay unique without their organization.
    uniqueIndex('room_presences_id_uq').on(t.id, t.orgId),
    // Not the room second, but for the list of who is live: prepared statements are planned without knowing the room, and
    // of several indexes that begin with it Postgres would take any. By bytes, so that names are also found by their
    // beginning.
    uniqueIndex('room_presences_name_uq').on(t.orgId, sql`(lower(${t.name}) collate "C")`, t.roomKey),
    uniqueIndex('room_presences_session_uq').on(t.orgId, t.principalId, t.sessionKey, t.roomKey),
    index('room_presences_live_idx').on(t.orgId, t.roomKey, t.expiresAt),
  ],
);

/** Somebody a message asks to look: attention, not access. */
export interface Recipient {
  readonly presenceId: string;
  readonly name: string;
  readonly kind: 'to' | 'cc';
  readonly ackRequired: boolean;
  /** ISO 8601, once acknowledged. */
  readonly ackedAt: string | null;
}

export const roomMessages = pgTable(
  'room_messages',
  {
    orgId: uuid('org_id').notNull(),
    roomKey: text('room_key').notNull(),
    /** Feed position: dense inside a room, taken from the room's head as the last act before commit. */
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
    id: id().notNull(),
    senderPresenceId: id('sender_presence_id').notNull(),
    senderName: text('sender_name').notNull(),
    principalId: id('principal_id').notNull(),
    /** Markdown, at most 32 KiB. */
    body: text('body').notNull(),
    threadId: text('thread_id'),
    importance: text('importance').$type<'normal' | 'high'>().notNull(),
    ackRequired: boolean('ack_required').notNull(),
    recipients: jsonb('recipients').$type<readonly Recipient[]>().notNull(),
    idempotencyKey: text('idempotency_key'),
    createdAt: createdAt(),
  },
  (t) => [
    // The feed reads `where org_id = $1 and room_key = $2 and seq > $3 order by seq`.
    primaryKey({ columns: [t.orgId, t.roomKey, t.seq] }),
    // Messages are asked for by id alone, too; ids are random, so they stay unique without their organization.
    uniqueIndex('room_messages_id_uq').on(t.id, t.orgId),
    uniqueIndex('room_messages_replay_uq').on(t.orgId, t.senderPresenceId, t.idempotencyKey),
    check('room_messages_body_size', sql`octet_length(${t.body}) <= 32768`),
  ],
);

export type Presence = typeof roomPresences.$inferSelect;
export type RoomMessage = typeof roomMessages.$inferSelect;
