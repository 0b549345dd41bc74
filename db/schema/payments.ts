import { bytea, createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';

/**
 * `verified`: claimed, no money moved. `settling`: handed to the chain, outcome not known yet. `settled`: paid, and its
 * answer not written out yet. `delivered`: over. `released`: given back unpaid. `failed`: the chain refused it.
 */
export type PaymentState = 'verified' | 'settling' | 'settled' | 'delivered' | 'released' | 'failed';

/** A call of a project's route that was paid for. */
export interface RoutedPayment {
  readonly release_id: string;
  readonly pattern: string;
  readonly method: string;
  readonly function: string;
  readonly host: string;
  /** Without its query. */
  readonly path: string;
  readonly request_id: string;
  readonly amount_usd_micros: number;
}

/**
 * Payments on chains, one row for each transfer that something was or is to be given for. The unique keys are the locks:
 * an authorization and a transfer are good for one thing once. Of payers, not of an organization. Contract 00, 1.9.
 */
export const payments = pgTable(
  'payments',
  {
    id: id().primaryKey(),
    state: text('state').$type<PaymentState>().notNull(),
    /** What was sold, for example `audit`. */
    sku: text('sku').notNull(),
    operation: text('operation').notNull(),
    /** Which input on which path of which operation: a payment is good for no other. */
    requestDigest: text('request_digest').notNull(),
    /** `base` or `base-sepolia`. */
    network: text('network').notNull(),
    chainId: bigint('chain_id', { mode: 'bigint' }).notNull(),
    /** The token, lower case. */
    asset: text('asset').notNull(),
    /** The paying wallet, lower case. */
    payer: text('payer').notNull(),
    payTo: text('pay_to').notNull(),
    /** In the smallest unit of the token, a micro-dollar: what is transferred, which may be more than the price. */
    amount: numeric('amount', { precision: 78, scale: 0 }).notNull(),
    /** Version of x402 that it was presented in; 0 for a bare transaction hash. */
    version: integer('version').notNull(),
    /** Of the authorization; null for a transfer that was made without one of ours. */
    nonce: text('nonce'),
    /** SHA-256 of the authorization and its signature. */
    digest: text('digest'),
    /** Written by versions before 0008, and read by none: goes once no node of theirs can run. */
    presented: bytea('presented'),
    validBefore: moment('valid_before'),
    /** Chosen by the client, by the extension `payment-identifier`. */
    identifier: text('identifier'),
    /** Who holds the row while it works on it, until when. */
    leaseToken: text('lease_token'),
    leaseUntil: moment('lease_until'),
    /** Lower case; of a payment in `settling`, the last transaction that was sent for it. */
    txHash: text('tx_hash'),
    logIndex: integer('log_index'),
    principalId: id('principal_id'),
    /** The organization that it bought something for. */
    orgId: uuid('org_id'),
    /** What is answered, encrypted, for a day: null while it has yet to be made. */
    outcome: bytea('outcome'),
    lastError: text('last_error'),
    /** The row whose sale this transfer is a part of, where one transaction paid by several. */
    partOf: id('part_of'),
    /** The project whose route was called; null for what the platform sold. */
    projectId: id('project_id'),
    /** Which call it was. */
    routed: jsonb('routed').$type<RoutedPayment>(),
    createdAt: createdAt(),
    /** Time of the block. */
    settledAt: moment('settled_at'),
    deliveredAt: moment('delivered_at'),
    /** When the chain was last asked about it by the job that reconciles. */
    reconciledAt: moment('reconciled_at'),
  },
  (t) => [
    uniqueIndex('payments_nonce_uq').on(t.chainId, t.asset, t.payer, t.nonce),
    uniqueIndex('payments_transfer_uq').on(t.chainId, t.txHash, t.logIndex),
    uniqueIndex('payments_identifier_uq').on(t.identifier).where(sql`identifier is not null`),
    // What the chain has to be asked about again, and what a day ends for.
    index('payments_open_idx').on(t.createdAt).where(sql`state <> 'delivered'`),
    index('payments_outcome_idx').on(t.createdAt).where(sql`outcome is not null or identifier is not null`),
    index('payments_project_idx').on(t.projectId, t.createdAt, t.id).where(sql`project_id is not null`),
    index('payments_org_idx').on(t.orgId, t.createdAt).where(sql`org_id is not null`),
  ],
);

/** Columns that no statement names any more, so that they can go without an older node missing them. */
export const retiredPaymentColumns = ['presented'] as const;

export type Payment = Omit<typeof payments.$inferSelect, (typeof retiredPaymentColumns)[number]>;

/** Whose turn it is to send from a wallet of the gateway's: the row is locked while a transaction is made and sent. */
export const chainSenders = pgTable(
  'chain_senders',
  {
    chainId: bigint('chain_id', { mode: 'bigint' }).notNull(),
    sender: text('sender').notNull(),
    /** Number of the next transaction; null before the first. */
    nextNonce: bigint('next_nonce', { mode: 'bigint' }),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.sender] })],
);
