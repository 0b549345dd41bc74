import { createdAt, moment } from '../columns.ts';
import { bigint, check, index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { orgs } from './orgs.ts';

/** Programs that may make vouchers, each by a key of its own and up to its own amounts. Contract 04, section 1.7. */
export const voucherIssuers = pgTable(
  'voucher_issuers',
  {
    id: uuid('id').primaryKey(),
    /** By which the platform admin tells it from others. */
    name: text('name').notNull(),
    /** SHA-256 of its key, in hexadecimal. */
    keyHash: text('key_hash').notNull(),
    /** Micro-dollars of one voucher, of all that can still be redeemed, and of all made on one day in UTC. */
    voucherMax: bigint('voucher_max_usd_micros', { mode: 'bigint' }).notNull(),
    outstandingMax: bigint('outstanding_max_usd_micros', { mode: 'bigint' }).notNull(),
    dailyMax: bigint('daily_max_usd_micros', { mode: 'bigint' }).notNull(),
    /** Micro-dollars of a voucher that any client may have made; null: none may. */
    publicAmount: bigint('public_amount_usd_micros', { mode: 'bigint' }),
    disabledAt: moment('disabled_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('voucher_issuers_key_uq').on(t.keyHash),
    uniqueIndex('voucher_issuers_name_uq').on(t.name),
    // Any client is served by one issuer.
    uniqueIndex('voucher_issuers_public_uq').on(sql`(true)`).where(sql`${t.publicAmount} is not null`),
    index('voucher_issuers_newest_idx').on(t.createdAt, t.id),
  ],
);

/** Codes that are worth promotional credit, once. The code itself is nowhere kept. */
export const vouchers = pgTable(
  'vouchers',
  {
    id: uuid('id').primaryKey(),
    issuerId: uuid('issuer_id')
      .notNull()
      .references(() => voucherIssuers.id),
    /** SHA-256 of the code's letters, in hexadecimal. */
    codeHash: text('code_hash').notNull(),
    amount: bigint('amount_usd_micros', { mode: 'bigint' }).notNull(),
    /** The issuer's own word for it. */
    ref: text('ref'),
    /** Chosen by the issuer: the same one makes no second voucher. Null for one that any client had made. */
    idempotencyKey: text('idempotency_key'),
    /** What a client without a key said it is for. */
    context: jsonb('context').$type<Readonly<Record<string, unknown>>>(),
    expiresAt: moment('expires_at').notNull(),
    redeemedBy: uuid('redeemed_by').references(() => orgs.id),
    redeemedAt: moment('redeemed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('vouchers_code_uq').on(t.codeHash),
    uniqueIndex('vouchers_idempotency_uq').on(t.issuerId, t.idempotencyKey),
    // The issuer's list, and what it made today.
    index('vouchers_issuer_idx').on(t.issuerId, t.createdAt, t.id),
    // What of it can still be redeemed.
    index('vouchers_open_idx').on(t.issuerId, t.expiresAt).where(sql`redeemed_at is null`),
    // What one organization has had.
    index('vouchers_redeemed_idx').on(t.redeemedBy).where(sql`redeemed_by is not null`),
    check('vouchers_positive', sql`${t.amount} > 0`),
  ],
);

export type VoucherIssuer = typeof voucherIssuers.$inferSelect;
export type Voucher = typeof vouchers.$inferSelect;
