import { randomBytes } from 'node:crypto';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type Payment, payments, retiredPaymentColumns } from '../../db/schema/payments.ts';
import { allOf, insertInto, type ParametersOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { Services } from '../../kernel/run/context.ts';

/** How long a process that works on a payment is believed alive, in seconds; renewed while it works. */
const leaseSeconds = 20;
const renewMs = 5_000;

/** A payment that this process alone works on. */
export interface HeldPayment {
  readonly row: Payment;
  readonly leaseToken: string;
}

/** What is known of an authorization. */
export async function findByNonce(
  rows: Rows,
  authorization: Pick<Payment, 'chainId' | 'asset' | 'payer'> & { readonly nonce: string },
): Promise<Payment | undefined> {
  const [row] = await rows(byNonceStatement.with(authorization));
  return row;
}

/** The payment that a client has given this id. */
export async function findByIdentifier(rows: Rows, identifier: string): Promise<Payment | undefined> {
  const [row] = await rows(byIdentifierStatement.with({ identifier }));
  return row;
}

/** The row that has the transfers of a transaction, and is one of its uses: a claim that failed before is none. */
export async function findByTransaction(rows: Rows, chainId: bigint, txHash: string): Promise<Payment | undefined> {
  const [row] = await rows(byTransactionStatement.with({ chainId, txHash }));
  return row;
}

/** A payment as it is written when it is claimed. */
export type NewPayment = Omit<ParametersOf<typeof claimed>, 'leaseToken' | 'leaseSeconds'>;

export const newLease = (): string => randomBytes(16).toString('hex');

/** Writes a claim, held by its writer; undefined when the same was claimed before. */
export async function insertPayment(
  rows: Rows,
  payment: NewPayment,
  leaseToken: string,
): Promise<HeldPayment | undefined> {
  const [row] = await rows(insertStatement.with({ ...payment, leaseToken, leaseSeconds }));
  return row === undefined ? undefined : { row, leaseToken };
}

/** The purpose that a payment which was given back is claimed for this time. */
export type Reclaim = Pick<
  NewPayment,
  'sku' | 'operation' | 'requestDigest' | 'payTo' | 'identifier' | 'principalId' | 'projectId' | 'routed'
>;

/**
 * Takes a payment over that no process works on; undefined while one does, and when it is over.
 *
 * @param reclaim its purpose, where it was given back before any money moved
 */
export async function takePayment(rows: Rows, { id }: Payment, reclaim: Reclaim): Promise<HeldPayment | undefined> {
  const leaseToken = newLease();
  const taken = await rows(takeStatement.with({ ...reclaim, id, leaseToken, leaseSeconds }));
  const row = taken.find((one) => one.id === id);
  return row === undefined ? undefined : { row, leaseToken };
}

/** Renews the lease of a payment until the function that it returns is called. */
export function renewLease({ db, log }: Pick<Services, 'db' | 'log'>, { row, leaseToken }: HeldPayment): () => void {
  const renewal = setInterval(() => {
    db.rows(renewStatement.with({ id: row.id, leaseToken, leaseSeconds })).catch((error: unknown) =>
      log.warn({ err: error, payment: row.id }, 'The lease of a payment could not be renewed.'),
    );
  }, renewMs);
  renewal.unref();
  return () => clearInterval(renewal);
}

/** The columns of a payment, for statements that answer with one. */
export const paymentRow = allOf(payments, retiredPaymentColumns);

/** The parameters of {@link isHeld}. */
export const holder = pick(payments, 'id', 'leaseToken');

/** The rows of a sale that its holder works on: one, unless one transaction paid by several transfers. */
export const isHeld = ({ id, leaseToken }: { readonly id: SQL; readonly leaseToken: SQL }): SQL =>
  sql`(${payments.id} = ${id} or ${payments.partOf} = ${id}) and ${payments.leaseToken} = ${leaseToken}`;

const seconds = typed<number>('double precision');
const leasedFor = (given: SQL): SQL => sql`now() + make_interval(secs => ${given})`;

const byNonceStatement = statement(
  'payments.by-nonce',
  { params: pick(payments, 'chainId', 'asset', 'payer', 'nonce'), row: paymentRow },
  (given, row) => sql`select ${row} from ${payments} where ${payments.chainId} = ${given.chainId}
    and ${payments.asset} = ${given.asset} and ${payments.payer} = ${given.payer} and ${payments.nonce} = ${given.nonce}`,
);

const byIdentifierStatement = statement(
  'payments.by-identifier',
  { params: pick(payments, 'identifier'), row: paymentRow },
  ({ identifier }, row) => sql`select ${row} from ${payments} where ${payments.identifier} = ${identifier}`,
);

const byTransactionStatement = statement(
  'payments.of-transaction',
  { params: pick(payments, 'chainId', 'txHash'), row: paymentRow },
  ({ chainId, txHash }, row) => sql`select ${row} from ${payments} where ${payments.chainId} = ${chainId}
    and ${payments.txHash} = ${txHash} and ${payments.partOf} is null and ${payments.state} <> 'failed'`,
);

const claimed = {
  ...pick(payments, 'id', 'sku', 'operation', 'requestDigest', 'network', 'chainId', 'asset', 'payer', 'payTo'),
  ...pick(payments, 'amount', 'version', 'nonce', 'digest', 'validBefore', 'identifier', 'principalId'),
  ...pick(payments, 'txHash', 'logIndex', 'partOf', 'leaseToken', 'projectId', 'routed'),
  leaseSeconds: seconds,
};

const insertStatement = statement(
  'payments.insert',
  { params: claimed, row: paymentRow },
  ({ leaseSeconds: lease, ...given }, row) =>
    sql`${insertInto(payments, {
      ...given,
      state: sql`'verified'`,
      leaseUntil: leasedFor(lease),
    })} on conflict do nothing returning ${row}`,
);

// A payment keeps its purpose; only one that was given back gets another.
const ifReleased = (key: keyof Payment, value: SQL): SQL =>
  sql`case when ${payments.state} = 'released' then ${value} else ${payments[key]} end`;

const takeStatement = statement(
  'payments.take',
  {
    params: {
      ...holder,
      leaseSeconds: seconds,
      ...pick(payments, 'sku', 'operation', 'requestDigest', 'payTo', 'identifier', 'principalId'),
      ...pick(payments, 'projectId', 'routed'),
    },
    row: paymentRow,
  },
  ({ id, leaseToken, leaseSeconds: lease, ...purpose }, row) => sql`update ${payments} ${setOf(payments, {
    leaseToken,
    leaseUntil: leasedFor(lease),
    state: ifReleased('state', sql`'verified'`),
    sku: ifReleased('sku', purpose.sku),
    operation: ifReleased('operation', purpose.operation),
    requestDigest: ifReleased('requestDigest', purpose.requestDigest),
    payTo: ifReleased('payTo', purpose.payTo),
    identifier: ifReleased('identifier', purpose.identifier),
    principalId: ifReleased('principalId', purpose.principalId),
    projectId: ifReleased('projectId', purpose.projectId),
    routed: ifReleased('routed', purpose.routed),
  })} where (${payments.id} = ${id} or ${payments.partOf} = ${id}) and ${payments.state} <> 'delivered'
      and ${payments.leaseUntil} < now() returning ${row}`,
);

const renewStatement = statement(
  'payments.renew',
  { params: { ...holder, leaseSeconds: seconds } },
  ({ leaseSeconds: lease, ...held }) =>
    sql`update ${payments} ${setOf(payments, { leaseUntil: leasedFor(lease) })} where ${isHeld(held)}`,
);
