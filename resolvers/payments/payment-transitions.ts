import { type SQL, sql } from '../../db/drizzle.ts';
import { inTransaction } from '../../db/pool.ts';
import { type PaymentState, payments } from '../../db/schema/payments.ts';
import { pick, setOf, statement, typed, type Values } from '../../db/sql.ts';
import type { Bound, Rows } from '../../db/statement.ts';
import { rowsOn } from '../../db/transaction.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type Outcome, sealOutcome } from './payment-outcome.ts';
import { type HeldPayment, holder, isHeld } from './payment-rows.ts';
import { isLicensed, lockTransaction } from './shared/chain-payments.ts';
import { auditPrices } from './shared/price-table.ts';

interface Transition {
  readonly from: readonly PaymentState[];
  readonly to: PaymentState;
}

/** How the holder of a payment changes its state. Statements take the states that they check from here. */
const transitions = {
  /** It is given back before any money moved. */
  release: { from: ['verified'], to: 'released' },
  /** It is handed over: from here on it may be paid, whatever happens to this process. */
  handOver: { from: ['verified', 'settling', 'failed'], to: 'settling' },
  /** It was not handed over after all. */
  takeBack: { from: ['settling'], to: 'released' },
  /** The chain refused it for good. */
  fail: { from: ['verified', 'settling', 'released', 'failed'], to: 'failed' },
  /** The chain has it. */
  settle: { from: ['verified', 'settling', 'settled', 'released', 'failed'], to: 'settled' },
  /** Its answer was written out. */
  deliver: { from: ['verified', 'settling', 'settled', 'delivered', 'released', 'failed'], to: 'delivered' },
} as const satisfies Readonly<Record<string, Transition>>;

/** The reason to refuse a transaction that has paid for something else. */
export const transactionUsed = 'tx_already_used';

/** Another process has taken the payment over, and goes on with it. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** The transaction of a payment has brought a licence by itself, and pays for nothing else. */
export class LicensedTransferError extends Error {
  override readonly name = 'LicensedTransferError';
}

/** @throws LeaseLostError when the payment is not its holder's any more, or in a state that it cannot go on from */
async function change(rows: Rows, bound: Bound<{ readonly id: string }>): Promise<void> {
  if ((await rows(bound)).length === 0) throw new LeaseLostError();
}

const heldBy = ({ row, leaseToken }: HeldPayment) => ({ id: row.id, leaseToken });

/** Gives a payment back before any money moved. */
export const releasePayment = (rows: Rows, held: HeldPayment, lastError: string) =>
  change(rows, releaseStatement.with({ ...heldBy(held), lastError }));

/** Forgets a transfer that was presented by its hash, since its purchase could not be made: it is good for any other. */
export const dropTransfer = (rows: Rows, held: HeldPayment) => change(rows, dropStatement.with(heldBy(held)));

/** Ends the lease of a payment whose outcome is open: the next request that presents it goes on with it. */
export const releaseLease = (rows: Rows, held: HeldPayment, lastError: string) =>
  change(rows, releaseLeaseStatement.with({ ...heldBy(held), lastError }));

/** Notes that a payment is handed over. */
export const handOver = (rows: Rows, held: HeldPayment) => change(rows, handOverStatement.with(heldBy(held)));

/** Notes that a payment was not handed over after all: it is given back, unless a transaction was noted for it. */
export const takeBackPayment = (rows: Rows, held: HeldPayment, lastError: string) =>
  change(rows, takeBackStatement.with({ ...heldBy(held), lastError }));

/** Notes the transaction that is about to be sent. */
export const noteTransaction = (rows: Rows, held: HeldPayment, transaction: string) =>
  change(rows, transactionStatement.with({ ...heldBy(held), txHash: transaction.toLowerCase() }));

/** Notes that the chain refused it for good. */
export const failPayment = (rows: Rows, held: HeldPayment, lastError: string) =>
  change(rows, failStatement.with({ ...heldBy(held), lastError }));

/** Ends a payment whose answer was written out. One that another process has taken over is left to it. */
export const deliverPayment = (rows: Rows, held: HeldPayment) => rows(deliverStatement.with(heldBy(held)));

/** Everything a settled payment is written with. */
export interface Settled {
  readonly settlement: Settlement;
  /** Its answer; undefined while it has yet to be made, or where it may have been made before. */
  readonly outcome?: Outcome | undefined;
  readonly orgId?: string | undefined;
  readonly error?: string | undefined;
  /** Whether its holder goes on with it, so that its lease does too. @default where it has its answer */
  readonly goesOn?: boolean;
}

/**
 * Marks a payment settled, in the transaction of the change that it pays for, which holds the lock of its transfer.
 *
 * @throws LeaseLostError · LicensedTransferError
 */
export async function settlePayment(
  rows: Rows,
  services: Pick<Services, 'keys'>,
  held: HeldPayment,
  { settlement, outcome, orgId, error, goesOn = outcome !== undefined }: Settled,
): Promise<void> {
  const { row } = held;
  const txHash = settlement.transaction.toLowerCase();
  // A sale of the source comes with the very licence that its transfer brings.
  if (row.sku !== auditPrices.buyout.sku && (await isLicensed(rows, row.network, txHash)))
    throw new LicensedTransferError();
  const settled = settleStatement.with({
    ...heldBy(held),
    txHash,
    logIndex: settlement.logIndex,
    settledAt: settlement.blockTime,
    outcome: outcome === undefined ? null : sealOutcome(services, row, outcome),
    orgId: orgId ?? null,
    lastError: error ?? null,
    goesOn,
  });
  await change(rows, settled);
}

/** Marks a payment settled in a transaction of its own. @throws LeaseLostError · LicensedTransferError */
export const settleAlone = (services: Services, held: HeldPayment, settled: Settled): Promise<void> =>
  inTransaction(services.db.pool, async (client) => {
    const rows = rowsOn(client);
    await lockTransaction(rows, held.row.network, settled.settlement.transaction);
    await settlePayment(rows, services, held, settled);
  });

/**
 * Notes a settlement that the chain knows of, for an answer that has yet to be made; one that is stored stays. A payment
 * whose transaction has brought a licence instead has failed.
 */
export async function recordSettlement(services: Services, held: HeldPayment, settled: Settled): Promise<void> {
  try {
    await settleAlone(services, held, settled);
  } catch (error) {
    if (!(error instanceof LicensedTransferError)) throw error;
    await failPayment(services.db.rows, held, transactionUsed);
  }
}

const one = pick(payments, 'id');
const withError = { ...holder, ...pick(payments, 'lastError') };
const none = sql`null`;
const over = sql`now() - interval '1 second'`;
type Holder = Parameters<typeof isHeld>[0];

/** The rows of a payment, changed from the states that a transition begins in. @param values beside the state */
const changed = (held: Holder, { from, to }: Transition, values: Values<typeof payments>): SQL =>
  sql`update ${payments} ${setOf(payments, { state: sql.raw(`'${to}'`), ...values })} where ${isHeld(held)}
    and ${payments.state} in (${sql.raw(from.map((state) => `'${state}'`).join(', '))})`;

const releaseStatement = statement(
  'payments.release',
  { params: withError, row: one },
  ({ lastError, ...held }, row) =>
    sql`${changed(held, transitions.release, { identifier: none, lastError, leaseUntil: over })} returning ${row}`,
);

const dropStatement = statement(
  'payments.drop-transfer',
  { params: holder, row: one },
  (held, row) => sql`delete from ${payments} where ${isHeld(held)} and ${payments.version} = 0
    and ${payments.state} = 'verified' returning ${row}`,
);

const releaseLeaseStatement = statement(
  'payments.release-lease',
  { params: withError, row: one },
  ({ lastError, ...held }, row) =>
    sql`update ${payments} ${setOf(payments, { lastError, leaseUntil: over })} where ${isHeld(held)} returning ${row}`,
);

const handOverStatement = statement(
  'payments.hand-over',
  { params: holder, row: one },
  (held, row) => sql`${changed(held, transitions.handOver, {})} returning ${row}`,
);

const unlessSent = (value: SQL, column: SQL): SQL =>
  sql`case when ${payments.txHash} is null then ${value} else ${column} end`;
const takeBackStatement = statement(
  'payments.take-back',
  { params: withError, row: one },
  ({ lastError, ...held }, row) =>
    sql`${changed(held, transitions.takeBack, {
      state: unlessSent(sql.raw(`'${transitions.takeBack.to}'`), sql`${payments.state}`),
      identifier: unlessSent(none, sql`${payments.identifier}`),
      lastError,
      leaseUntil: over,
    })} returning ${row}`,
);

const transactionStatement = statement(
  'payments.transaction',
  { params: { ...holder, ...pick(payments, 'txHash') }, row: one },
  ({ txHash, ...held }, row) =>
    sql`update ${payments} ${setOf(payments, { txHash })} where ${isHeld(held)} returning ${row}`,
);

const failStatement = statement(
  'payments.fail',
  { params: withError, row: one },
  ({ lastError, ...held }, row) =>
    sql`${changed(held, transitions.fail, { identifier: none, lastError, txHash: none, leaseUntil: over })} returning ${row}`,
);

// The lease goes on while the answer is made and written. An answer that is stored stays: it may be of a
// commit whose outcome its writer never learnt. Each row of a transfer that was presented by its hash has its own
// number in the block already.
const settleStatement = statement(
  'payments.settled',
  {
    params: {
      ...holder,
      ...pick(payments, 'txHash', 'logIndex', 'settledAt', 'outcome', 'orgId', 'lastError'),
      goesOn: typed<boolean>('boolean'),
    },
    row: one,
  },
  ({ id, leaseToken, txHash, logIndex, settledAt, outcome, orgId, lastError, goesOn }, row) =>
    sql`${changed({ id, leaseToken }, transitions.settle, {
      txHash,
      logIndex: sql`case when ${payments.version} = 0 then ${payments.logIndex} else ${logIndex}::integer end`,
      settledAt,
      outcome: sql`case when ${payments.partOf} is null then coalesce(${outcome}::bytea, ${payments.outcome}) end`,
      orgId: sql`coalesce(${orgId}, ${payments.orgId})`,
      lastError,
      leaseUntil: sql`case when ${goesOn} then ${payments.leaseUntil} else ${over} end`,
    })} returning ${row}`,
);

const deliverStatement = statement('payments.delivered', { params: holder }, (held) =>
  changed(held, transitions.deliver, { deliveredAt: sql`now()`, leaseUntil: over }),
);
