import { createdAt, id, moment } from '../columns.ts';
import { index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

/** "I am on this": what a presence says of a resource to the others of its room. It blocks nothing. */
export const roomClaims = pgTable(
  'room_claims',
  {
    orgId: uuid('org_id').notNull(),
    id: id().notNull(),
    roomKey: text('room_key').notNull(),
    presenceId: id('presence_id').notNull(),
    principalId: id('principal_id').notNull(),
    /** Name of the presence, which never changes. */
    holder: text('holder').notNull(),
    resource: text('resource').notNull(),
    mode: text('mode').$type<'exclusive' | 'shared'>().notNull(),
    note: text('note'),
    expiresAt: moment('expires_at').notNull(),
    releasedAt: moment('released_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Claims are asked for by id alone, too; ids are random, so they stay unique without their organization.
    uniqueIndex('room_claims_id_uq').on(t.id, t.orgId),
    // Claims in force: of a room, and of a presence, whose claims are counted and freed with it.
    index('room_claims_standing_idx').on(t.orgId, t.roomKey, t.expiresAt).where(sql`released_at is null`),
    index('room_claims_holder_idx').on(t.orgId, t.presenceId, t.expiresAt).where(sql`released_at is null`),
    // Retention alone looks for what is long over.
    index('room_claims_expires_idx').on(t.expiresAt),
    index('room_claims_history_idx').on(t.orgId, t.roomKey, t.createdAt),
  ],
);

/** A claim as it was read: whether it still stood at that moment, by the database's clock. */
export type Claim = typeof roomClaims.$inferSelect & { readonly state: 'active' | 'expired' | 'released' };
