import { createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, check, index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { orgs, type Tier } from './orgs.ts';

export const checkoutProducts = ['balance_topup', 'tier', 'email_pack'] as const;

export type CheckoutProduct = (typeof checkoutProducts)[number];

/** How it is paid: by card, by lightning, or out of the balance that is there. */
export type CheckoutRail = 'card' | 'lightning' | 'balance';

export const checkoutStates = ['creating', 'pending', 'paid', 'paid_late', 'failed', 'expired'] as const;

/** `creating`: the provider has not answered yet. `paid_late`: an invoice that was paid within an hour of its end. */
export type CheckoutState = (typeof checkoutStates)[number];

/** The rate that an invoice was made at. */
export interface QuotedRate {
  /** Dollars for one bitcoin, as a decimal number. */
  readonly usd_per_btc: string;
  readonly source: string;
  readonly observed_at: string;
  readonly amount_sats: number;
}

/** Money on its way to an organization. Rows stay: a refund or a dispute may come years later. Leased work of `kernel/durability`. */
export const checkouts = pgTable(
  'checkouts',
  {
    /** The top-up, a UUID. */
    id: id().primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    /** The organization again, as text: who takes turns. */
    lane: text('lane').notNull(),
    product: text('product').$type<CheckoutProduct>().notNull(),
    rail: text('rail').$type<CheckoutRail>().notNull(),
    /** Whether auto-recharge made it. */
    automatic: boolean('automatic').notNull().default(false),
    /** What is credited, in micro-dollars. */
    amount: bigint('amount_usd_micros', { mode: 'bigint' }).notNull(),
    tier: text('tier').$type<Tier>(),
    state: text('state').$type<CheckoutState>().notNull().default('creating'),
    /** What the money went to once it was there: `kept` stayed on the balance, although something was to be bought. */
    outcome: text('outcome').$type<'bought' | 'kept'>(),
    /** Why it failed, for people. */
    failure: text('failure'),
    successUrl: text('success_url'),
    cancelUrl: text('cancel_url'),
    /** Whether the card is kept for auto-recharge. */
    savesCard: boolean('saves_card').notNull().default(false),
    /** The provider's page. */
    checkoutUrl: text('checkout_url'),
    sessionId: text('session_id'),
    paymentIntentId: text('payment_intent_id'),
    amountSats: bigint('amount_sats', { mode: 'bigint' }),
    quotedRate: jsonb('quoted_rate').$type<QuotedRate>(),
    bolt11: text('bolt11'),
    /** In hexadecimal digits. */
    paymentHash: text('payment_hash'),
    invoiceExpiresAt: moment('invoice_expires_at'),
    paidAt: moment('paid_at'),
    /** The entry of the ledger that credited it: set once. */
    creditedEntryId: id('credited_entry_id'),
    /** What was taken back of the money so far, in micro-dollars, and of mail credits. */
    takenBack: bigint('taken_back_usd_micros', { mode: 'bigint' }).notNull().default(sql`0`),
    creditsBack: bigint('credits_back', { mode: 'bigint' }).notNull().default(sql`0`),
    /** How often money was taken or given back: numbers the entries. */
    reversals: integer('reversals').notNull().default(0),
    /** How often the provider said that something changed, and how often a node has looked. */
    hints: integer('hints').notNull().default(0),
    looks: integer('looks').notNull().default(0),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what is over. */
    dueAt: moment('due_at'),
    /** Names the hold of a node. */
    lease: text('lease'),
    createdBy: id('created_by'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('checkouts_session_uq').on(t.sessionId),
    uniqueIndex('checkouts_payment_intent_uq').on(t.paymentIntentId),
    uniqueIndex('checkouts_payment_hash_uq').on(t.paymentHash),
    // Auto-recharge buys one pack at a time.
    uniqueIndex('checkouts_automatic_uq')
      .on(t.orgId)
      .where(sql`${t.automatic} and ${t.state} in ('creating', 'pending')`),
    index('checkouts_newest_idx').on(t.orgId, t.createdAt, t.id),
    index('checkouts_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('checkouts_lane_idx').on(t.lane, t.dueAt).where(sql`${t.dueAt} is not null`),
    check('checkouts_positive', sql`${t.amount} > 0 and ${t.takenBack} >= 0 and ${t.creditsBack} >= 0`),
  ],
);

/** Whether an organization buys mail credits by itself, and with what. */
export const autoRecharges = pgTable('auto_recharges', {
  orgId: uuid('org_id')
    .primaryKey()
    .references(() => orgs.id),
  enabled: boolean('enabled').notNull().default(false),
  /** Credits below which a pack is bought; null until one was named. */
  threshold: bigint('threshold', { mode: 'bigint' }),
  /** The customer of the card provider, and the card that it keeps for it. */
  customerId: text('customer_id'),
  paymentMethodId: text('payment_method_id'),
  /** The card as people know it, for example `visa 4242`. */
  cardLabel: text('card_label'),
  /** Why the platform turned it off; null after somebody has set it. */
  stoppedBecause: text('stopped_because'),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

export type CheckoutRow = typeof checkouts.$inferSelect;
