import { createdAt, id, moment } from '../columns.ts';
import { index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { orgs } from './orgs.ts';

/** Keys that seat their holder in a room. Only its maker has the key itself. Contract 02, section 2.8. */
export const roomInvites = pgTable(
  'room_invites',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id, { onDelete: 'cascade' }),
    /** Chosen by the client that made the key. */
    id: uuid('id').notNull(),
    roomKey: text('room_key').notNull(),
    /** What the key's secret is checked against: a SHA-256, in hexadecimal. */
    authHash: text('auth_hash').notNull(),
    note: text('note'),
    createdBy: id('created_by').notNull(),
    /** The presence that invites, where it was named. */
    inviterPresenceId: id('inviter_presence_id'),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** The principal that redeemed it, and the payment. */
    claimedBy: id('claimed_by'),
    claimedAt: moment('claimed_at'),
    paymentId: id('payment_id'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // A wallet that redeems a key knows no organization.
    uniqueIndex('room_invites_id_uq').on(t.id),
    index('room_invites_expires_idx').on(t.expiresAt),
    // Those of one room that are neither revoked nor redeemed.
    index('room_invites_open_idx')
      .on(t.orgId, t.roomKey, t.expiresAt)
      .where(sql`revoked_at is null and claimed_at is null`),
  ],
);

export type RoomInvite = typeof roomInvites.$inferSelect;
