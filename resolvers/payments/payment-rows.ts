import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type pg from 'pg';
import { columnsOf } from '../../db/columns-of.ts';
import { type Database, inTransaction, type Statement } from '../../db/pool.ts';
import { type Payment, payments } from '../../db/schema/payments.ts';
import type { Settlement } from '../../engines/x402/cashier.ts';
import { auditPrices } from '../audits/price-table.ts';
import type { Services } from '../context.ts';
import { licensedStatement } from '../verifications/chain-payments.ts';

/** How long whoever works on a payment is believed alive, in seconds; renewed while it works. */
const leaseSeconds = 20;
const renewMs = 5_000;

/** How long the answer of a payment is kept, in hours: so long can it be had once more. Contract 00, section 1.9. */
export const keptHours = 24;

/** Version of what is stored as an outcome: raise it with any change that `toWire` could not make sense of. */
const outcomeVersion = 1;

/** A payment that this process alone works on. */
export interface HeldPayment {
  readonly row: Payment;
  readonly leaseToken: string;
}

const columns = columnsOf(payments, 'p');

type Rows = Pick<Database, 'rows'>;

/** What is known of an authorization. */
export async function findByNonce(
  db: Rows,
  values: readonly [chainId: bigint, asset: string, payer: string, nonce: string],
): Promise<Payment | undefined> {
  const [row] = await db.rows<Payment>(byNonceStatement, values);
  return row;
}

/** The payment that a client has given this id. */
export async function findByIdentifier(db: Rows, identifier: string): Promise<Payment | undefined> {
  const [row] = await db.rows<Payment>(byIdentifierStatement, [identifier]);
  return row;
}

/** What a payment is written as, when it is claimed. */
export type NewPayment = Pick<
  Payment,
  | 'id'
  | 'sku'
  | 'operation'
  | 'requestDigest'
  | 'network'
  | 'chainId'
  | 'asset'
  | 'payer'
  | 'payTo'
  | 'amount'
  | 'version'
  | 'nonce'
  | 'digest'
  | 'presented'
  | 'validBefore'
  | 'identifier'
  | 'principalId'
> & { readonly txHash?: string; readonly logIndex?: number; readonly partOf?: string | undefined };

export const newLease = (): string => randomBytes(16).toString('hex');

/** Writes a claim, held by its writer; undefined when somebody has claimed the same. */
export async function insertPayment(
  client: Rows | Pick<pg.ClientBase, 'query'>,
  payment: NewPayment,
  leaseToken: string,
): Promise<HeldPayment | undefined> {
  const values = [
    payment.id,
    payment.sku,
    payment.operation,
    payment.requestDigest,
    payment.network,
    payment.chainId,
    payment.asset,
    payment.payer,
    payment.payTo,
    payment.amount,
    payment.version,
    payment.nonce,
    payment.digest,
    payment.presented,
    payment.validBefore,
    payment.identifier,
    payment.principalId,
    payment.txHash ?? null,
    payment.logIndex ?? null,
    payment.partOf ?? null,
    leaseToken,
    leaseSeconds,
  ];
  const rows =
    'rows' in client
      ? await client.rows<Payment>(insertStatement, values)
      : (await client.query<Payment>({ ...insertStatement, values })).rows;
  return rows[0] === undefined ? undefined : { row: rows[0], leaseToken };
}

/** What a payment that was given back is claimed for this time. */
export type Reclaim = Pick<Payment, 'sku' | 'operation' | 'requestDigest' | 'payTo' | 'identifier' | 'principalId'>;

/**
 * Takes a payment over that nobody works on; undefined while somebody does, and when it is over.
 *
 * @param reclaim what it is claimed for, where it was given back before any money moved
 */
export async function takePayment(db: Rows, row: Payment, reclaim: Reclaim): Promise<HeldPayment | undefined> {
  const leaseToken = newLease();
  const { sku, operation, requestDigest, payTo, identifier, principalId } = reclaim;
  const values = [row.id, leaseToken, leaseSeconds, sku, operation, requestDigest, payTo, identifier, principalId];
  const taken = (await db.rows<Payment>(takeStatement, values)).find(({ id }) => id === row.id);
  return taken === undefined ? undefined : { row: taken, leaseToken };
}

/** Renews the lease of a payment until it is let go. */
export function holdOn({ db, log }: Pick<Services, 'db' | 'log'>, { row, leaseToken }: HeldPayment): () => void {
  const renewal = setInterval(() => {
    db.rows(renewStatement, [row.id, leaseToken, leaseSeconds]).catch((error: unknown) =>
      log.warn({ err: error, payment: row.id }, 'The lease of a payment could not be renewed.'),
    );
  }, renewMs);
  renewal.unref();
  return () => clearInterval(renewal);
}

/** The payment was taken over by somebody else, who goes on with it. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

async function change(db: Rows, statement: Statement, { row, leaseToken }: HeldPayment, ...values: unknown[]) {
  if ((await db.rows(statement, [row.id, leaseToken, ...values])).length === 0) throw new LeaseLostError();
}

/** Gives a payment back before any money moved. */
export const releasePayment = (db: Rows, held: HeldPayment, why: string) => change(db, releaseStatement, held, why);

/** Forgets a transfer that was presented by its hash for what could not be made: it is good for anything again. */
export const dropTransfer = (db: Rows, held: HeldPayment) => change(db, dropStatement, held);

/** Lets go of a payment whose outcome is open, so that whoever presents it next goes on with it. */
export const leavePayment = (db: Rows, held: HeldPayment, why: string) => change(db, leaveStatement, held, why);

/** Notes that a payment is handed over: from here on it may be paid, whatever happens to this process. */
export const markSettling = (db: Rows, held: HeldPayment) => change(db, settlingStatement, held);

/** Lets go of a payment that was not handed over after all: given back, unless a transaction was noted for it. */
export const takeBackPayment = (db: Rows, held: HeldPayment, why: string) => change(db, takeBackStatement, held, why);

/** Notes the transaction that is about to be sent. */
export const noteTransaction = (db: Rows, held: HeldPayment, transaction: string) =>
  change(db, transactionStatement, held, transaction.toLowerCase());

/** Notes that the chain refused it for good. */
export const failPayment = (db: Rows, held: HeldPayment, why: string) => change(db, failStatement, held, why);

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
  client: Pick<pg.ClientBase, 'query'>,
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
export async function lockTransfer(client: Pick<pg.ClientBase, 'query'>, network: string, transaction: string) {
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

/** Ends a payment whose answer was written out. */
export const markDelivered = (db: Rows, { row, leaseToken }: HeldPayment) =>
  db.rows(deliveredStatement, [row.id, leaseToken]);

const outcomeContext = (id: string) => `outcome:${id}`;
export const presentedContext = (payer: string, nonce: string) => `presented:${payer}:${nonce}`;

const lease = (token: string, seconds: string) =>
  `lease_token = ${token}, lease_until = now() + make_interval(secs => ${seconds})`;
/** The rows of a sale that this process holds: one, unless one transaction paid by several transfers. */
const mine = `(p.id = $1 or p.part_of = $1) and p.lease_token = $2`;
const letGo = `lease_until = now() - interval '1 second'`;

const byNonceStatement: Statement = {
  name: 'payments.by-nonce',
  text: `select ${columns} from payments p where p.chain_id = $1 and p.asset = $2 and p.payer = $3 and p.nonce = $4`,
};

const byIdentifierStatement: Statement = {
  name: 'payments.by-identifier',
  text: `select ${columns} from payments p where p.identifier = $1`,
};

const insertStatement: Statement = {
  name: 'payments.insert',
  text: `insert into payments as p (id, state, sku, operation, request_digest, network, chain_id, asset, payer, pay_to,
      amount, version, nonce, digest, presented, valid_before, identifier, principal_id, tx_hash, log_index, part_of,
      lease_token, lease_until)
    values ($1, 'verified', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, now() + make_interval(secs => $22))
    on conflict do nothing returning ${columns}`,
};

// What is paid for stays what it is; what was given back may be claimed for something else.
const takeStatement: Statement = {
  name: 'payments.take',
  text: `update payments p set ${lease('$2', '$3')},
      state = case when p.state = 'released' then 'verified' else p.state end,
      sku = case when p.state = 'released' then $4 else p.sku end,
      operation = case when p.state = 'released' then $5 else p.operation end,
      request_digest = case when p.state = 'released' then $6 else p.request_digest end,
      pay_to = case when p.state = 'released' then $7 else p.pay_to end,
      identifier = case when p.state = 'released' then $8 else p.identifier end,
      principal_id = case when p.state = 'released' then $9 else p.principal_id end
    where (p.id = $1 or p.part_of = $1) and p.state <> 'delivered' and p.lease_until < now() returning ${columns}`,
};

const renewStatement: Statement = {
  name: 'payments.renew',
  text: `update payments p set lease_until = now() + make_interval(secs => $3) where ${mine}`,
};

const releaseStatement: Statement = {
  name: 'payments.release',
  text: `update payments p set state = 'released', identifier = null, last_error = $3, ${letGo}
    where ${mine} and p.state = 'verified' returning p.id`,
};

const dropStatement: Statement = {
  name: 'payments.drop-transfer',
  text: `delete from payments p where ${mine} and p.version = 0 and p.state = 'verified' returning p.id`,
};

const leaveStatement: Statement = {
  name: 'payments.leave',
  text: `update payments p set last_error = $3, ${letGo} where ${mine} returning p.id`,
};

const settlingStatement: Statement = {
  name: 'payments.settling',
  text: `update payments p set state = 'settling' where ${mine} and p.state in ('verified', 'settling', 'failed') returning p.id`,
};

const takeBackStatement: Statement = {
  name: 'payments.take-back',
  text: `update payments p set state = case when p.tx_hash is null then 'released' else p.state end,
      identifier = case when p.tx_hash is null then null else p.identifier end, last_error = $3, ${letGo}
    where ${mine} and p.state = 'settling' returning p.id`,
};

const transactionStatement: Statement = {
  name: 'payments.transaction',
  text: `update payments p set tx_hash = $3 where ${mine} returning p.id`,
};

const failStatement: Statement = {
  name: 'payments.fail',
  text: `update payments p set state = 'failed', identifier = null, last_error = $3, tx_hash = null, ${letGo}
    where ${mine} and p.state in ('verified', 'settling', 'released', 'failed') returning p.id`,
};

// The lease goes on while the answer is written; without one it ends. An answer that is stored stays: it may be of a
// commit whose outcome its writer never learnt.
const settledStatement: Statement = {
  name: 'payments.settled',
  text: `update payments p set state = 'settled', tx_hash = $3, log_index = case when p.version = 0 then p.log_index else $4::int end,
      settled_at = $5, outcome = case when p.part_of is null then coalesce($6::bytea, p.outcome) end,
      org_id = coalesce($7, p.org_id), last_error = $8,
      lease_until = case when $9::boolean then now() - interval '1 second' else p.lease_until end
    where ${mine} and p.state <> 'delivered'`,
};

const lockStatement: Statement = {
  name: 'payments.lock-transfer',
  text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
};

const deliveredStatement: Statement = {
  name: 'payments.delivered',
  text: `update payments p set state = 'delivered', delivered_at = now(), presented = null, ${letGo} where ${mine}`,
};
