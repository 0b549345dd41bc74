import { createdAt, id, moment } from '../columns.ts';
import { bigint, index, integer, pgTable, sql, text } from '../drizzle.ts';

/** `confirmed` and `failed` are over. */
export type DripState = 'queued' | 'sent' | 'confirmed' | 'failed';

/** Why a gift failed: the account had too little, or the chain refused it. */
export type DripFailure = 'treasury_low' | 'reverted';

/** Gifts of test money, one row each. Contract 04, section 1.6. */
export const faucetDrips = pgTable(
  'faucet_drips',
  {
    id: id().primaryKey(),
    /** Who gets it, in lower case. */
    address: text('address').notNull(),
    amount: bigint('amount_usd_micros', { mode: 'bigint' }).notNull(),
    state: text('state').$type<DripState>().notNull().default('queued'),
    failure: text('failure').$type<DripFailure>(),
    /** Of the last transaction that was sent for it, and when it was announced. */
    txHash: text('tx_hash'),
    sentAt: moment('sent_at'),
    attempts: integer('attempts').notNull().default(0),
    /** When a node has to look at it next; null for what is over. */
    dueAt: moment('due_at'),
    /** Names the node's hold of it. */
    lease: text('lease'),
    createdAt: createdAt(),
  },
  (t) => [
    index('faucet_drips_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('faucet_drips_lane_idx').on(t.address, t.dueAt).where(sql`due_at is not null`),
    index('faucet_drips_created_idx').on(t.createdAt),
  ],
);

/** Who had a gift when: an address of a wallet, or the network of a client. The key is the lock. */
export const faucetTurns = pgTable(
  'faucet_turns',
  {
    subject: text('subject').primaryKey(),
    dripId: id('drip_id').notNull(),
    takenAt: moment('taken_at').notNull().defaultNow(),
  },
  (t) => [index('faucet_turns_drip_idx').on(t.dripId), index('faucet_turns_taken_idx').on(t.takenAt)],
);

export type FaucetDrip = typeof faucetDrips.$inferSelect;
