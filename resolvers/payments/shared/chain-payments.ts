import { advisoryLock } from '../../../db/advisory-lock.ts';
import { sql } from '../../../db/drizzle.ts';
import { interval } from '../../../db/intervals.ts';
import { chainPayments } from '../../../db/schema/chain-payments.ts';
import { computed, insertInto, pick, setOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ChainPayment } from '../../../engines/chains/finding.ts';
import type { ChainName } from '../../../engines/chains/networks.ts';
import type { auditResult } from '../../../engines/site-audit/audit-result.ts';
import { batchRows } from '../../../kernel/durability/housekeeping.ts';

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

/** The payment of a transaction that was verified before, by any hash that it was named by. */
export async function findVerified(rows: Rows, network: ChainName, hash: string): Promise<VerifiedPayment | undefined> {
  const [row] = await rows(findStatement.with({ network, hash }));
  if (row === undefined) return undefined;
  const { report, reportError, amount, block, ...rest } = row;
  const payment = { ...rest, network, amount: BigInt(amount), block: Number(block) };
  return { payment, report: report as Reported['report'], reportError };
}

/**
 * Every other use of the transaction waits until the end of this one: each takes this lock first, and then looks, by
 * statements that begin later, whether it is used already.
 */
export async function lockTransaction(rows: Rows, network: string, txHash: string): Promise<void> {
  await rows(advisoryLock.with({ key: `chain-payment:${network}:${txHash.toLowerCase()}` }));
}

/** Whether a transaction has brought a licence, and so pays for nothing else; asked with its lock held. */
export const isLicensed = async (rows: Rows, network: string, txHash: string): Promise<boolean> =>
  (await rows(licensedStatement.with({ network, txHash: txHash.toLowerCase() }))).length > 0;

/** Writes a payment down as used; the first stays. @returns whether this is the first */
export async function recordPayment(rows: Rows, payment: ChainPayment, namedAs: string): Promise<boolean> {
  const values = { ...payment, namedAs, purpose: 'licence', amount: String(payment.amount) };
  return (await rows(recordStatement.with(values))).length > 0;
}

/** Keeps what came of the audit, unless there is such a one. */
export async function keepReport(
  rows: Rows,
  { network, txHash }: Pick<ChainPayment, 'network' | 'txHash'>,
  { report, reportError }: Reported,
): Promise<void> {
  const text = report === null ? null : JSON.stringify(report);
  await rows(reportStatement.with({ network, txHash, report: text, reportError }));
}

const isKept = sql`${chainPayments.reportedAt} > now() - interval '${sql.raw(String(reportKeptDays))} days'`;

const findStatement = statement(
  'chain-payments.find',
  {
    params: { network: chainPayments.network, hash: chainPayments.txHash },
    row: {
      ...pick(chainPayments, 'txHash', 'logKey', 'asset', 'decimals', 'amount', 'payer', 'block', 'confirmations'),
      ...pick(chainPayments, 'paidAt'),
      report: computed<Readonly<Record<string, unknown>> | null>(
        'jsonb',
        sql`case when ${isKept} then ${chainPayments.report} end`,
      ),
      reportError: computed<string | null>('text', sql`case when ${isKept} then ${chainPayments.reportError} end`),
    },
  },
  ({ network, hash }, row) => sql`select ${row} from ${chainPayments} where ${chainPayments.network} = ${network}
    and (${chainPayments.txHash} = ${hash} or ${chainPayments.namedAs} = ${hash})
    order by ${chainPayments.txHash} <> ${hash} limit 1`,
);

const recordStatement = statement(
  'chain-payments.record',
  {
    params: {
      ...pick(chainPayments, 'network', 'txHash', 'namedAs', 'logKey', 'purpose', 'asset', 'amount', 'decimals'),
      ...pick(chainPayments, 'payer', 'block', 'confirmations', 'paidAt'),
    },
    row: pick(chainPayments, 'network'),
  },
  (given, row) => sql`${insertInto(chainPayments, given)} on conflict do nothing returning ${row}`,
);

const licensedStatement = statement(
  'chain-payments.is-licensed',
  { params: pick(chainPayments, 'network', 'txHash'), row: pick(chainPayments, 'network') },
  ({ network, txHash }, row) => sql`select ${row} from ${chainPayments}
    where ${chainPayments.network} = ${network} and ${chainPayments.txHash} = ${txHash}`,
);

const reportStatement = statement(
  'chain-payments.report',
  { params: pick(chainPayments, 'network', 'txHash', 'report', 'reportError') },
  ({ network, txHash, ...reported }) =>
    sql`update ${chainPayments} ${setOf(chainPayments, { ...reported, reportedAt: sql`now()` })}
      where ${chainPayments.network} = ${network} and ${chainPayments.txHash} = ${txHash}
        and ${chainPayments.reportedAt} is null`,
);

/** Forgets the reports that were kept long enough: one batch of housekeeping. */
export const forgetOldReports = sql`update ${chainPayments}
  ${setOf(chainPayments, { report: sql`null`, reportError: sql`null` })}
  where ctid = any(array(select ctid from ${chainPayments}
    where ${chainPayments.reportedAt} <= now() - ${interval(`${reportKeptDays} days`)}
      and (${chainPayments.report} is not null or ${chainPayments.reportError} is not null)
    limit ${sql.raw(String(batchRows))}))`;
