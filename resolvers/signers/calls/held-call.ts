import { sql } from '../../../db/drizzle.ts';
import { contractCalls, contractTransactions, signers } from '../../../db/schema/signers.ts';
import { computed, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import type { Address, Hex } from '../../../engines/x402/networks.ts';

const heldColumns = {
  ...pick(
    contractCalls,
    'id',
    'orgId',
    'projectId',
    'signerId',
    'chain',
    'kind',
    'contractAddress',
    'data',
    'value',
    'nonce',
    'attempt',
    'sends',
    'looks',
    'blockNumber',
    'strayedAt',
    'txHash',
  ),
  address: computed<string>('text', sql`${signers.address}`),
};

/** A call in the hands of this node. */
export type HeldCall = RowOf<typeof heldColumns> & { readonly nonce: bigint };

/** A transaction that was signed for a call. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly maxFee: bigint;
  readonly maxPriorityFee: bigint;
  readonly gas: bigint;
  /** Whether it does nothing but use the number up. */
  readonly isFiller: boolean;
  /** In milliseconds. */
  readonly age: number;
}

export const heldStatement = statement(
  'signers.held-call',
  { params: pick(contractCalls, 'id', 'lease'), row: heldColumns },
  ({ id, lease }, row) => sql`select ${row} from ${contractCalls}
    join ${signers} on ${signers.id} = ${contractCalls.signerId}
    where ${contractCalls.id} = ${id} and ${contractCalls.lease} = ${lease} and ${contractCalls.status} = 'pending'`,
);

const transactionColumns = {
  ...pick(contractTransactions, 'hash', 'raw', 'maxFee', 'maxPriorityFee', 'gas', 'isFiller'),
  age: computed<number>(
    'double precision',
    sql`extract(epoch from now() - ${contractTransactions.createdAt})::float8 * 1000`,
  ),
};

/** Newest last. */
export const transactionsStatement = statement(
  'signers.transactions',
  { params: pick(contractTransactions, 'callId'), row: transactionColumns },
  ({ callId }, row) => sql`select ${row} from ${contractTransactions}
    where ${contractTransactions.callId} = ${callId} order by ${contractTransactions.createdAt}`,
);

export const asSigned = (row: RowOf<typeof transactionColumns>): SignedTransaction => ({
  hash: row.hash as Hex,
  raw: `0x${row.raw.toString('hex')}`,
  maxFee: BigInt(row.maxFee),
  maxPriorityFee: BigInt(row.maxPriorityFee),
  gas: row.gas,
  isFiller: row.isFiller,
  age: row.age,
});

/** Notes that it is about to be sent; none where this node has lost it. */
export const sendingStatement = statement(
  'signers.sending',
  { params: pick(contractCalls, 'id', 'lease'), row: pick(contractCalls, 'sends') },
  ({ id, lease }, row) =>
    sql`update ${contractCalls} ${setOf(contractCalls, {
      sends: sql`${contractCalls.sends} + 1`,
    })} where ${contractCalls.id} = ${id} and ${contractCalls.lease} = ${lease} returning ${row}`,
);

/** Lets go of a call that is looked at again. */
export const laterStatement = statement(
  'signers.later',
  {
    params: {
      ...pick(contractCalls, 'id', 'lease', 'blockNumber'),
      receipt: typed<string | null>('jsonb'),
      strayed: typed<boolean>('boolean'),
      seconds: typed<number>('double precision'),
    },
  },
  ({ id, lease, blockNumber, receipt, strayed, seconds }) =>
    sql`update ${contractCalls} ${setOf(contractCalls, {
      blockNumber,
      // While its chain cannot be asked the last receipt is shown.
      receipt: sql`case when ${blockNumber}::bigint is not null then coalesce(${receipt}::jsonb, ${contractCalls.receipt}) end`,
      strayedAt: sql`case when ${strayed} then coalesce(${contractCalls.strayedAt}, now()) end`,
      looks: sql`${contractCalls.looks} + 1`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
      updatedAt: sql`case when ${contractCalls.blockNumber} is distinct from ${blockNumber} then now()
      else ${contractCalls.updatedAt} end`,
    })} where ${contractCalls.id} = ${id} and ${contractCalls.lease} = ${lease}`,
);

/** Ends a call: by its receipt, or for a reason. */
export const endStatement = statement(
  'signers.end-call',
  {
    params: {
      ...pick(
        contractCalls,
        'id',
        'lease',
        'status',
        'error',
        'txHash',
        'nonce',
        'blockNumber',
        'gasUsed',
        'gasCost',
        'gasCostUsdMicros',
      ),
      receipt: typed<string | null>('jsonb'),
    },
    row: pick(contractCalls, 'id'),
  },
  ({ id, lease, ...given }, row) =>
    sql`update ${contractCalls} ${setOf(contractCalls, {
      ...given,
      dueAt: sql`null`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${contractCalls.id} = ${id} and ${contractCalls.lease} = ${lease} returning ${row}`,
);

/** Notes the transaction that counts from now on, with what it may cost. */
export const replacedStatement = statement(
  'signers.replaced',
  { params: pick(contractCalls, 'id', 'lease', 'txHash', 'value', 'maxCost'), row: pick(contractCalls, 'id') },
  ({ id, lease, ...given }, row) =>
    sql`update ${contractCalls} ${setOf(contractCalls, {
      ...given,
      updatedAt: sql`now()`,
    })} where ${contractCalls.id} = ${id} and ${contractCalls.lease} = ${lease} returning ${row}`,
);

export const addressOf = ({ address }: HeldCall) => address as Address;
