import { createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
  check,
  date,
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

/** The newest position of each feed. Taking the next position locks the row, so all readers of a feed see one order. */
export const feedHeads = pgTable(
  'feed_heads',
  {
    orgId: uuid('org_id').notNull(),
    /** As in `FeedName`. */
    kind: text('kind').notNull(),
    feedId: text('feed_id').notNull(),
    /** Position of the newest row; positions of a feed are dense and start at 1. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    /** Rows up to here are gone by retention. */
    floor: bigint('floor', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Of rooms: the first message that the events have yet to tell of; null when there is none. */
    unmirroredFrom: bigint('unmirrored_from', { mode: 'bigint' }),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.kind, t.feedId] }),
    // The few rooms that lag. The column keeps its value while a room lags, so its head is still updated in place.
    index('feed_heads_unmirrored_idx').on(t.unmirroredFrom, t.orgId, t.feedId).where(sql`unmirrored_from is not null`),
  ],
);

export const rooms = pgTable(
  'rooms',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** A project's id (its default room) or a label the organization chose; with the organization it is the room. */
    key: text('key').notNull(),
    /** Null while messages and claims are taken. */
    archivedAt: moment('archived_at'),
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
    /** Lets the same principal come back as the same presence; taken off one that leaves. */
    sessionKey: text('session_key'),
    lastActive: moment('last_active').notNull(),
    expiresAt: moment('expires_at').notNull(),
    leftAt: moment('left_at'),
    /** The newest message that a reading of its own has shown it. */
    readSeq: bigint('read_seq', { mode: 'bigint' }).notNull().default(sql`0`),
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

/** A presence that a message asks to look: attention, not access. */
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
    // One thread of a room.
    index('room_messages_thread_idx').on(t.orgId, t.threadId, t.roomKey, t.seq).where(sql`thread_id is not null`),
    // Retention alone looks for what is old.
    index('room_messages_created_idx').on(t.createdAt),
    check('room_messages_body_size', sql`octet_length(${t.body}) <= 32768`),
  ],
);

/** Recipients of messages, so that each finds its own among a million. The message says how it addresses them. */
export const roomAddressees = pgTable(
  'room_addressees',
  {
    orgId: uuid('org_id').notNull(),
    /** Belongs to one room, which is the message's. */
    presenceId: id('presence_id').notNull(),
    seq: bigint('seq', { mode: 'bigint' }).notNull(),
    threadId: text('thread_id'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.presenceId, t.seq] }),
    // The same of one thread.
    index('room_addressees_thread_idx').on(t.orgId, t.threadId, t.presenceId, t.seq).where(sql`thread_id is not null`),
  ],
);

/** How many messages an organization sent on a day of UTC, in a few rows that are added up. */
export const roomSends = pgTable(
  'room_sends',
  {
    orgId: uuid('org_id').notNull(),
    day: date('day').notNull(),
    /**
     * Which of the rows, `#0` and on. A node of an older version counts by room here: beside each other the sum is right.
     */
    slot: text('room_key').notNull(),
    sent: integer('sent').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.day, t.slot] }),
    // Days that are over.
    index('room_sends_day_idx').on(t.day),
  ],
);

/** A presence as it was read: whether it was there at that moment, by the database's clock. See `presenceColumns`. */
export type Presence = typeof roomPresences.$inferSelect & { readonly state: 'active' | 'expired' | 'left' };

export type RoomMessage = typeof roomMessages.$inferSelect;
