import { createdAt, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, numeric, pgTable, primaryKey, text } from '../drizzle.ts';

/**
 * Payments that were made straight to the settlement address and verified, one row for each transaction: none is good for
 * two things. Of payers, not of an organization. Contract 00, sections 2.6 and 6.5.
 */
export const chainPayments = pgTable(
  'chain_payments',
  {
    /** `base`, `ethereum`, `polygon`, `bsc` or `ton`. */
    network: text('network').notNull(),
    /** `0x` and lower-case hex, on TON without `0x`. */
    txHash: text('tx_hash').notNull(),
    /** The hash that it was first named by, which on TON may be that of a message. */
    namedAs: text('named_as').notNull(),
    /** Contract of the asset; on TON the trace. */
    logKey: text('log_key').notNull(),
    /** What it was used for: `licence`. */
    purpose: text('purpose').notNull(),
    asset: text('asset').notNull(),
    /** In the asset's smallest unit. */
    amount: numeric('amount', { precision: 78, scale: 0 }).notNull(),
    decimals: integer('decimals').notNull(),
    /** In the mixed case of EIP-55; on TON in raw form. */
    payer: text('payer').notNull(),
    block: bigint('block', { mode: 'number' }).notNull(),
    /** How deep it lay when it was verified. */
    confirmations: integer('confirmations').notNull(),
    /** Time of the block. */
    paidAt: moment('paid_at').notNull(),
    /** The audit of the licence's domain, as it is answered; null without one. */
    report: jsonb('report').$type<Readonly<Record<string, unknown>>>(),
    /** Why there is none: the code of a refusal. */
    reportError: text('report_error'),
    /** When the audit was tried. Both of the above are kept for 30 days. */
    reportedAt: moment('reported_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.network, t.txHash] }),
    // A payment by another of its hashes.
    index('chain_payments_named_idx').on(t.network, t.namedAs),
    // Those that statistics do not know yet.
    index('chain_payments_created_idx').on(t.createdAt),
    // What has been kept long enough.
    index('chain_payments_reported_idx').on(t.reportedAt),
  ],
);
