import { deserialize, serialize } from 'node:v8';
import { inTransaction, type Queries, type Statement } from '../../db/pool.ts';
import type { Payment } from '../../db/schema/payments.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Services } from '../../kernel/run/context.ts';
import { failPayment, type HeldPayment, heldRows, LeaseLostError } from './payment-rows.ts';
import { licensedStatement } from './shared/chain-payments.ts';
import { auditPrices } from './shared/price-table.ts';

/** How long the answer of a payment is kept, in hours: so long can it be had once more. Contract 00, section 1.9. */
export const keptHours = 24;

/** Version of what is stored as an outcome: raise it with any change that `toWire` could not make sense of. */
const outcomeVersion = 1;

/** What is said of a transaction that has paid for something else. */
export const alreadyUsed = 'tx_already_used';

/** The transaction of a payment has brought a licence by itself, and pays for nothing else. */
export class LicensedTransferError extends Error {
  override readonly name = 'LicensedTransferError';
}

/** Everything a settled payment is written with. */
export interface Settled {
  readonly settlement: Settlement;
  /** What is answered; undefined while it has yet to be made, or where it may have been made before. */
  readonly outcome?: { readonly output: unknown } | undefined;
  readonly orgId?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * Marks a payment settled, on the connection of the change that was paid for, with the transfer's lock held.
 *
 * @throws LeaseLostError when somebody else has taken it over, LicensedTransferError
 */
export async function settlePayment(
  client: Queries,
  { keys }: Pick<Services, 'keys'>,
  { row, leaseToken }: HeldPayment,
  { settlement, outcome, orgId, error }: Settled,
): Promise<void> {
  const transaction = settlement.transaction.toLowerCase();
  // A sale of the source comes with the very licence that its transfer brings.
  if (row.sku !== auditPrices.buyout.sku) {
    const licensed = await client.query({ ...licensedStatement, values: [row.network, transaction] });
    if (licensed.rowCount !== 0) throw new LicensedTransferError();
  }
  const sealed =
    outcome === undefined
      ? null
      : keys.seal('payments', Buffer.concat([Buffer.of(outcomeVersion), serialize(outcome)]), outcomeContext(row.id));
  const values = [
    row.id,
    leaseToken,
    transaction,
    // Of a transfer that was presented by its hash, each row has its own already.
    row.version === 0 ? row.logIndex : settlement.logIndex,
    settlement.blockTime,
    sealed,
    orgId ?? null,
    error ?? null,
    outcome === undefined,
  ];
  const { rowCount } = await client.query({ ...settledStatement, values });
  if (rowCount === 0) throw new LeaseLostError();
}

/**
 * Has everybody wait who would use the same transaction as a payment, until this one's use is committed. Held until the
 * transaction on `client` ends; looked for what was used by statements that begin later.
 */
export async function lockTransfer(client: Queries, network: string, transaction: string) {
  await client.query({ ...lockStatement, values: [`chain-payment:${network}:${transaction.toLowerCase()}`] });
}

/**
 * Notes a settlement that the chain knows of, for an answer that has yet to be made; one that is stored stays. What has
 * brought a licence instead has failed.
 */
export async function recordSettlement(services: Services, held: HeldPayment, settled: Settled): Promise<void> {
  try {
    await inTransaction(services.db.pool, async (client) => {
      await lockTransfer(client, held.row.network, settled.settlement.transaction);
      await settlePayment(client, services, held, settled);
    });
  } catch (error) {
    if (!(error instanceof LicensedTransferError)) throw error;
    await failPayment(services.db, held, alreadyUsed);
  }
}

/** The stored answer of a payment; undefined when there is none, or one of another version of the server. */
export function openOutcome({ keys }: Pick<Services, 'keys'>, row: Payment): { readonly output: unknown } | undefined {
  if (row.outcome === null) return undefined;
  const plain = keys.open('payments', row.outcome, outcomeContext(row.id));
  return plain[0] === outcomeVersion ? (deserialize(plain.subarray(1)) as { readonly output: unknown }) : undefined;
}

const outcomeContext = (id: string) => `outcome:${id}`;

// The lease goes on while the answer is written; without one it ends. An answer that is stored stays: it may be of a
// commit whose outcome its writer never learnt.
const settledStatement: Statement = {
  name: 'payments.settled',
  text: `update payments p set state = 'settled', tx_hash = $3, log_index = case when p.version = 0 then p.log_index else $4::int end,
      settled_at = $5, outcome = case when p.part_of is null then coalesce($6::bytea, p.outcome) end,
      org_id = coalesce($7, p.org_id), last_error = $8,
      lease_until = case when $9::boolean then now() - interval '1 second' else p.lease_until end
    where ${heldRows} and p.state <> 'delivered'`,
};

const lockStatement: Statement = {
  name: 'payments.lock-transfer',
  text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
};

/**
 * Contract 00, section 1.9: a day since it was settled. What is settled can be told of for as long as there is a ledger.
 * By the age of the row, too: that is what the index knows.
 */
export const forgetAnswersSql = `update payments set outcome = null, identifier = null
  where created_at < now() - interval '${keptHours} hours' and (outcome is not null or identifier is not null)
    and coalesce(settled_at, created_at) < now() - interval '${keptHours} hours'`;
