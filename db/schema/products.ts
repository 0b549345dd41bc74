import { bytea, createdAt, id, moment } from '../columns.ts';
import { bigint, index, numeric, pgTable, primaryKey, text } from '../drizzle.ts';

export type OrderTier = 'audit' | 'pro' | 'buyout';

/** What the audit gateway sold, one row for each payment. Buyers are wallets, so no organization owns it. */
export const orders = pgTable(
  'orders',
  {
    id: id().primaryKey(),
    tier: text('tier').$type<OrderTier>().notNull(),
    /** The site that was audited, or the domain of the buyer. */
    domain: text('domain').notNull(),
    /** In dollars. */
    priceUsd: numeric('price_usd', { precision: 12, scale: 2 }).notNull(),
    /** The payment in the ledger: one order each. */
    paymentId: id('payment_id').notNull().unique('orders_payment_uq'),
    network: text('network').notNull(),
    /** Lower case. */
    txHash: text('tx_hash').notNull(),
    payer: text('payer').notNull(),
    /** Archive that was delivered; null for an audit. */
    bundleSha256: text('bundle_sha256'),
    createdAt: createdAt(),
  },
  (t) => [index('orders_tier_idx').on(t.tier, t.createdAt), index('orders_tx_idx').on(t.network, t.txHash)],
);

export type Order = typeof orders.$inferSelect;

/** Licences, one for each transaction. What they were issued for never changes; only a domain may be filled in. */
export const licences = pgTable(
  'licences',
  {
    /** Short name, such as `base` or `ton`. */
    network: text('network').notNull(),
    /** In its one form. */
    txHash: text('tx_hash').notNull(),
    jti: text('jti').notNull().unique('licences_jti_uq'),
    plan: text('plan').notNull(),
    priceUsd: numeric('price_usd', { precision: 12, scale: 2 }).notNull(),
    payer: text('payer').notNull(),
    /** The site that it is bound to: of the first who named one. */
    domain: text('domain'),
    /** The licence key: a compact JWS. */
    jws: text('jws').notNull(),
    /** Which key signed it. */
    kid: text('kid').notNull(),
    /** Time of the payment's block. */
    issuedAt: moment('issued_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.network, t.txHash] })],
);

/** Archives that may still be downloaded, by their content: one that many bought is kept once. */
export const bundles = pgTable(
  'bundles',
  {
    sha256: text('sha256').primaryKey(),
    bytes: bytea('bytes').notNull(),
    /** When it was last sold. */
    soldAt: moment('sold_at').notNull().defaultNow(),
  },
  (t) => [index('bundles_sold_idx').on(t.soldAt)],
);

/** Rights to download an archive. Only the buyer has the token itself. */
export const downloads = pgTable(
  'downloads',
  {
    /** SHA-256 of the token, in hexadecimal. */
    tokenHash: text('token_hash').primaryKey(),
    orderId: id('order_id')
      .notNull()
      .references(() => orders.id, { onDelete: 'cascade' }),
    sha256: text('sha256')
      .notNull()
      .references(() => bundles.sha256),
    filename: text('filename').notNull(),
    /** Length of the archive. */
    bytes: bigint('bytes', { mode: 'bigint' }).notNull(),
    /** How much of it may yet be sent: a part that is asked for takes its share. */
    bytesLeft: bigint('bytes_left', { mode: 'bigint' }).notNull(),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    index('downloads_expires_idx').on(t.expiresAt),
    // Whether an archive is still wanted.
    index('downloads_sha256_idx').on(t.sha256),
    index('downloads_order_idx').on(t.orderId),
  ],
);
