import { bytea, createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
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

export const signerStates = ['active', 'suspended', 'deleted'] as const;

export type SignerState = (typeof signerStates)[number];

/** Accounts on chains that projects sign with. Amounts of a chain are texts of decimal digits, in wei. */
export const signers = pgTable(
  'signers',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    chain: text('chain').$type<'base-mainnet' | 'base-sepolia'>().notNull(),
    /** In small letters. */
    address: text('address').notNull(),
    /** The key, sealed for this signer alone; null once it is destroyed. */
    wrapped: bytea('wrapped'),
    status: text('status').$type<SignerState>().notNull().default('active'),
    recoveryAddress: text('recovery_address'),
    /** Below this balance its people are told. */
    threshold: text('threshold_wei'),
    /** As it was read last. */
    balance: text('balance_wei'),
    lastAlertSentAt: moment('last_alert_sent_at'),
    /** The last day that was paid, in UTC. */
    lastRentDebitedOn: date('last_rent_debited_on'),
    suspendedAt: moment('suspended_at'),
    deletedAt: moment('deleted_at'),
    /** From then on the key is destroyed, unless the account still holds something. */
    scheduledDeletionAt: moment('scheduled_deletion_at'),
    /** Whether what it holds is sent to the recovery address, by the platform itself. */
    windingUp: boolean('winding_up').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    index('signers_project_idx').on(t.orgId, t.projectId, t.createdAt),
    // What a day's rent is taken for.
    index('signers_rent_idx').on(t.lastRentDebitedOn).where(sql`${t.status} <> 'deleted'`),
    index('signers_suspended_idx').on(t.suspendedAt).where(sql`${t.status} = 'suspended'`),
    index('signers_alert_idx').on(t.id).where(sql`${t.threshold} is not null and ${t.status} <> 'deleted'`),
    index('signers_winding_idx').on(t.id).where(sql`${t.windingUp}`),
    index('signers_destroyed_idx').on(t.scheduledDeletionAt).where(sql`${t.wrapped} is not null`),
  ],
);

/** The next number of each signer's transactions. Whoever takes one locks the row until the transaction is written. */
export const signerNonces = pgTable('signer_nonces', {
  signerId: id('signer_id').primaryKey(),
  next: bigint('next', { mode: 'bigint' }).notNull().default(sql`0`),
});

export const callKinds = ['call', 'deploy', 'drain'] as const;

export const callStates = ['pending', 'confirmed', 'failed'] as const;

export type CallState = (typeof callStates)[number];

/** Calls that signers sign: leased work of `kernel/durability` until each is confirmed or has failed. */
export const contractCalls = pgTable(
  'contract_calls',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    signerId: id('signer_id').notNull(),
    chain: text('chain').$type<'base-mainnet' | 'base-sepolia'>().notNull(),
    kind: text('kind').$type<(typeof callKinds)[number]>().notNull(),
    /** The key that the caller gave it, which no other call of this kind has in its project. */
    idempotencyKey: text('idempotency_key'),
    /** SHA-256 of what was asked for. */
    intent: text('intent').notNull(),
    /** What is called, or made; of a drain, where the money goes. */
    contractAddress: text('contract_address').notNull(),
    functionName: text('function_name'),
    data: bytea('data').notNull(),
    value: text('value_wei').notNull(),
    /** Most that it may cost, its value among it. */
    maxCost: text('max_cost_wei').notNull(),
    /** Null once it was given back. */
    nonce: bigint('nonce', { mode: 'bigint' }),
    /** How often it was begun under its key. */
    attempt: integer('attempt').notNull().default(1),
    /** How often it was sent, or was about to be. */
    sends: integer('sends').notNull().default(0),
    /** Looks at the chain since it was begun. */
    looks: integer('looks').notNull().default(0),
    status: text('status').$type<CallState>().notNull().default('pending'),
    error: text('error'),
    /** Of its newest transaction, or of the one that is in a block. */
    txHash: text('tx_hash').notNull(),
    /** The block that it was seen in; null again when that is not of the chain any more. */
    blockNumber: bigint('block_number', { mode: 'bigint' }),
    receipt: jsonb('receipt').$type<Readonly<Record<string, unknown>>>(),
    gasUsed: text('gas_used'),
    /** What it cost, in wei. */
    gasCost: text('gas_cost_wei'),
    gasCostUsdMicros: bigint('gas_cost_usd_micros', { mode: 'bigint' }),
    /** Since when another transaction of its number is in a block. */
    strayedAt: moment('strayed_at'),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what is over. */
    dueAt: moment('due_at').defaultNow(),
    /** Names the hold of a node. */
    lease: text('lease'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('contract_calls_key_uq').on(t.projectId, t.kind, t.idempotencyKey),
    index('contract_calls_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('contract_calls_lane_idx').on(t.projectId, t.dueAt).where(sql`${t.dueAt} is not null`),
    index('contract_calls_newest_idx').on(t.signerId, t.createdAt, t.id),
    index('contract_calls_pending_idx').on(t.signerId, t.nonce).where(sql`${t.status} = 'pending'`),
  ],
);

/** Every transaction that was signed for a call: one, and those that replace it under its number. */
export const contractTransactions = pgTable(
  'contract_transactions',
  {
    callId: id('call_id').notNull(),
    hash: text('hash').notNull(),
    /** As it is sent, however often. */
    raw: bytea('raw').notNull(),
    /** In wei for each gas. */
    maxFee: text('max_fee_wei').notNull(),
    maxPriorityFee: text('max_priority_fee_wei').notNull(),
    gas: bigint('gas', { mode: 'bigint' }).notNull(),
    /** Whether it does nothing but use the number up: the chain will not have the call, and later ones wait for it. */
    isFiller: boolean('is_filler').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.callId, t.hash] })],
);
