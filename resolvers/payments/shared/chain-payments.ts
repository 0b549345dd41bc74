import type { Rows, Statement } from '../../../db/statement.ts';
import type { ChainPayment } from '../../../engines/chains/finding.ts';
import type { ChainName } from '../../../engines/chains/networks.ts';
import type { auditResult } from '../../../engines/site-audit/audit-result.ts';

/** How long the report of a licence is kept, in days. Contract 00, section 2.6. */
const reportKeptDays = 30;

/** What came of an audit: a report, or the code of its refusal. */
export interface Reported {
  readonly report: ReturnType<typeof auditResult> | null;
  readonly reportError: string | null;
}

/** A payment that was verified, and what is kept with it. */
export interface VerifiedPayment extends Reported {
  readonly payment: ChainPayment;
}

interface Row extends Omit<ChainPayment, 'amount' | 'block'>, Reported {
  readonly amount: string;
  readonly block: string;
}

/** The payment of a transaction that was verified before, by any hash that it was named by. */
export async function findVerified(rows: Rows, network: ChainName, hash: string): Promise<VerifiedPayment | undefined> {
  const [row] = await rows<Row>(findStatement, [network, hash]);
  if (row === undefined) return undefined;
  const { report, reportError, amount, block, ...rest } = row;
  return { payment: { ...rest, amount: BigInt(amount), block: Number(block) }, report, reportError };
}

/**
 * Nobody else may use the transaction until the end of this one: whoever uses one takes this lock first, and looks then
 * whether it is used already.
 */
export async function lockTransaction(rows: Rows, network: ChainName, txHash: string): Promise<void> {
  await rows(lockStatement, [`chain-payment:${network}:${txHash}`]);
}

/** Writes a payment down as used; the first stays. @returns whether this is the first */
export async function recordPayment(rows: Rows, payment: ChainPayment, namedAs: string): Promise<boolean> {
  const { network, txHash, logKey, asset, amount, decimals, payer, block, confirmations, paidAt } = payment;
  const written = await rows(recordStatement, [
    network,
    txHash,
    namedAs,
    logKey,
    'licence',
    asset,
    amount.toString(),
    decimals,
    payer,
    block,
    confirmations,
    paidAt,
  ]);
  return written.length > 0;
}

/** Keeps what came of the audit, unless there is such a one. */
export async function keepReport(
  rows: Rows,
  { network, txHash }: Pick<ChainPayment, 'network' | 'txHash'>,
  { report, reportError }: Reported,
): Promise<void> {
  await rows(reportStatement, [network, txHash, report === null ? null : JSON.stringify(report), reportError]);
}

const isKept = `reported_at > now() - interval '${reportKeptDays} days'`;

const findStatement: Statement = {
  name: 'chain-payments.find',
  text: `select network, tx_hash as "txHash", log_key as "logKey", asset, decimals, amount, payer, block, confirmations,
      paid_at as "paidAt", case when ${isKept} then report end as report,
      case when ${isKept} then report_error end as "reportError"
    from chain_payments where network = $1 and (tx_hash = $2 or named_as = $2)
    order by tx_hash <> $2 limit 1`,
};

const lockStatement: Statement = {
  name: 'chain-payments.lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};

const recordStatement: Statement = {
  name: 'chain-payments.record',
  text: `insert into chain_payments (network, tx_hash, named_as, log_key, purpose, asset, amount, decimals, payer, block,
      confirmations, paid_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict (network, tx_hash) do nothing returning network`,
};

/** One row when a transaction of a network has brought a licence, and so pays for nothing else; asked with its lock held. */
export const licensedStatement: Statement = {
  name: 'chain-payments.is-licensed',
  text: 'select from chain_payments where network = $1 and tx_hash = $2',
};

const reportStatement: Statement = {
  name: 'chain-payments.report',
  text: `update chain_payments set report = $3::jsonb, report_error = $4, reported_at = now()
    where network = $1 and tx_hash = $2 and reported_at is null`,
};

/** Forgets reports that were kept long enough, a batch at a time; for housekeeping. */
export const forgetReportsSql = `update chain_payments set report = null, report_error = null
  where ctid = any(array(select ctid from chain_payments
    where reported_at <= now() - interval '${reportKeptDays} days' and (report is not null or report_error is not null)
    limit 1000))`;
