import { randomBytes } from 'node:crypto';
import { columnsOf } from '../../db/columns-of.ts';
import type { Database, Queries, Statement } from '../../db/pool.ts';
import { type Payment, payments, retiredPaymentColumns } from '../../db/schema/payments.ts';
import type { Services } from '../../kernel/run/context.ts';

/** How long whoever works on a payment is believed alive, in seconds; renewed while it works. */
const leaseSeconds = 20;
const renewMs = 5_000;

/** A payment that this process alone works on. */
export interface HeldPayment {
  readonly row: Payment;
  readonly leaseToken: string;
}

const columns = columnsOf(payments, 'p', '', retiredPaymentColumns);

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
  | 'validBefore'
  | 'identifier'
  | 'principalId'
> & { readonly txHash?: string; readonly logIndex?: number; readonly partOf?: string | undefined };

export const newLease = (): string => randomBytes(16).toString('hex');

/** Writes a claim, held by its writer; undefined when somebody has claimed the same. */
export async function insertPayment(
  client: Rows | Queries,
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
export function renewLease({ db, log }: Pick<Services, 'db' | 'log'>, { row, leaseToken }: HeldPayment): () => void {
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

/** Ends a payment whose answer was written out. */
export const markDelivered = (db: Rows, { row, leaseToken }: HeldPayment) =>
  db.rows(deliveredStatement, [row.id, leaseToken]);

const lease = (token: string, seconds: string) =>
  `lease_token = ${token}, lease_until = now() + make_interval(secs => ${seconds})`;
/** The rows of a sale that its holder works on: one, unless one transaction paid by several transfers. */
export const heldRows = `(p.id = $1 or p.part_of = $1) and p.lease_token = $2`;
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
      amount, version, nonce, digest, valid_before, identifier, principal_id, tx_hash, log_index, part_of,
      lease_token, lease_until)
    values ($1, 'verified', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      now() + make_interval(secs => $21))
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
  text: `update payments p set lease_until = now() + make_interval(secs => $3) where ${heldRows}`,
};

const releaseStatement: Statement = {
  name: 'payments.release',
  text: `update payments p set state = 'released', identifier = null, last_error = $3, ${letGo}
    where ${heldRows} and p.state = 'verified' returning p.id`,
};

const dropStatement: Statement = {
  name: 'payments.drop-transfer',
  text: `delete from payments p where ${heldRows} and p.version = 0 and p.state = 'verified' returning p.id`,
};

const leaveStatement: Statement = {
  name: 'payments.leave',
  text: `update payments p set last_error = $3, ${letGo} where ${heldRows} returning p.id`,
};

const settlingStatement: Statement = {
  name: 'payments.settling',
  text: `update payments p set state = 'settling' where ${heldRows} and p.state in ('verified', 'settling', 'failed') returning p.id`,
};

const takeBackStatement: Statement = {
  name: 'payments.take-back',
  text: `update payments p set state = case when p.tx_hash is null then 'released' else p.state end,
      identifier = case when p.tx_hash is null then null else p.identifier end, last_error = $3, ${letGo}
    where ${heldRows} and p.state = 'settling' returning p.id`,
};

const transactionStatement: Statement = {
  name: 'payments.transaction',
  text: `update payments p set tx_hash = $3 where ${heldRows} returning p.id`,
};

const failStatement: Statement = {
  name: 'payments.fail',
  text: `update payments p set state = 'failed', identifier = null, last_error = $3, tx_hash = null, ${letGo}
    where ${heldRows} and p.state in ('verified', 'settling', 'released', 'failed') returning p.id`,
};

const deliveredStatement: Statement = {
  name: 'payments.delivered',
  text: `update payments p set state = 'delivered', delivered_at = now(), ${letGo} where ${heldRows}`,
};
