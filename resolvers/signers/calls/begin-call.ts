import { sql } from '../../../db/drizzle.ts';
import { contractCalls, contractTransactions, signerNonces, signers } from '../../../db/schema/signers.ts';
import { computed, insertInto, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Signed, Unsigned } from '../../../engines/signers/key-wrapper.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { post } from '../../ledger/shared/ledger.ts';
import { type ContractCall, callColumns } from './call-row.ts';
import type { CallKey, KeyedCall } from './keyed-call.ts';
import { lacksFunds, type Priced } from './price-call.ts';
import { wakeCalls } from './wake.ts';

/** What every call costs from the prepaid balance, in micro-dollars; a drain costs nothing. */
export const signFee = 5n;

export interface CallToBegin extends CallKey {
  readonly orgId: string;
  readonly signerId: string;
  readonly chain: ContractCall['chain'];
  readonly functionName: string | null;
  readonly priced: Priced;
  /** The call of then, where one under this key was never sent. */
  readonly again?: KeyedCall | undefined;
}

/**
 * Takes the next number of the signer, signs, and writes all of it: what is sent afterwards is what was written, however
 * often. Its caller has locked the numbers by {@link lockNonces}.
 *
 * @param next as it was locked
 * @throws SIGNER_LACKS_FUNDS when calls before it leave too little, INSUFFICIENT_FUNDS
 */
export async function beginCall(work: Work, next: bigint, call: CallToBegin): Promise<ContractCall> {
  const { services } = work;
  const { orgId, signerId, priced, again } = call;
  const { from, to, data, value, maxCost } = priced;
  const [waiting] = await work.rows(waitingStatement.with({ signerId }));
  const reserved = BigInt(waiting!.maxCost);
  if (priced.balance < maxCost + reserved)
    throw lacksFunds(from, { balance: priced.balance, maxCost: maxCost + reserved });
  // A copy of the installation that was restored may know of fewer than the chain.
  const nonce = next > priced.minedCount ? next : priced.minedCount;
  const signed = await sign(work, signerId, { ...priced, nonce: Number(nonce) });
  const id = again?.id ?? services.newId('ccall').slice(0, -2);
  const attempt = (again?.attempt ?? 0) + 1;
  const row = {
    id,
    signerId,
    contractAddress: to ?? (await addressOfMade(from, nonce)),
    functionName: call.functionName,
    data: bytesOf(data),
    value: String(value),
    maxCost: String(maxCost),
    nonce,
    attempt,
    txHash: signed.hash,
  };
  const [written] = await work.rows(
    again === undefined
      ? insertStatement.with({
          ...row,
          orgId,
          projectId: call.projectId,
          chain: call.chain,
          kind: call.kind,
          idempotencyKey: call.idempotencyKey,
          intent: call.intent,
        })
      : againStatement.with(row),
  );
  await writeTransaction(work, id, signed, priced);
  await work.rows(nextStatement.with({ signerId, next: nonce + 1n }));
  if (call.kind !== 'drain')
    await post(work, {
      orgId,
      direction: 'debit',
      kind: 'signer_sign_fee',
      amount: signFee,
      reference: feeReference(id, attempt),
      metadata: { signer_id: signerId, chain: call.chain },
    });
  await wakeCalls(work, id);
  return written!;
}

/** What the fee of a call is booked for: once for each time that it was begun. */
export const feeReference = (id: string, attempt: number) => ({
  type: 'contract_call',
  id: attempt === 1 ? id : `${id}:${attempt}`,
});

/**
 * Locks the numbers of a signer until the change is committed: its calls are begun one after the other, and none while it is
 * deleted.
 */
export async function lockNonces(work: Work, signerId: string): Promise<bigint> {
  const [locked] = await work.rows(lockStatement.with({ signerId }));
  return locked!.next;
}

/** Signs with the key of a signer. */
export async function sign(
  { rows, services }: Pick<Work, 'rows' | 'services'>,
  signerId: string,
  { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas }: Unsigned,
): Promise<Signed> {
  const [key] = await rows(keyStatement.with({ id: signerId }));
  if (key?.wrapped == null) throw new RangeError(`The key of ${signerId} is destroyed.`);
  const unsigned = { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas };
  return services.signerKeys.sign(signerId, key.wrapped, unsigned);
}

/** Writes a transaction of a call, before it is sent. @param isFiller whether it only uses the number up */
export const writeTransaction = (
  { rows }: Pick<Work, 'rows'>,
  callId: string,
  { hash, raw }: Signed,
  { gas, maxFeePerGas, maxPriorityFeePerGas }: Pick<Unsigned, 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  isFiller = false,
) =>
  rows(
    transactionStatement.with({
      hash,
      callId,
      raw: bytesOf(raw),
      gas,
      maxFee: String(maxFeePerGas),
      maxPriorityFee: String(maxPriorityFeePerGas),
      isFiller,
    }),
  );

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex');

async function addressOfMade(from: Priced['from'], nonce: bigint): Promise<string> {
  const { getContractAddress } = await import('viem');
  return getContractAddress({ from, nonce }).toLowerCase();
}

const lockStatement = statement(
  'signers.lock-nonces',
  { params: pick(signerNonces, 'signerId'), row: pick(signerNonces, 'next') },
  ({ signerId }, row) =>
    sql`select ${row} from ${signerNonces} where ${signerNonces.signerId} = ${signerId} for update`,
);

const nextStatement = statement(
  'signers.next-nonce',
  { params: pick(signerNonces, 'signerId', 'next') },
  ({ signerId, next }) =>
    sql`update ${signerNonces} ${setOf(signerNonces, { next })} where ${signerNonces.signerId} = ${signerId}`,
);

const keyStatement = statement(
  'signers.key',
  { params: pick(signers, 'id'), row: pick(signers, 'wrapped') },
  ({ id }, row) => sql`select ${row} from ${signers} where ${signers.id} = ${id}`,
);

/** What calls that are not over may cost. */
export const waitingStatement = statement(
  'signers.waiting-cost',
  {
    params: pick(contractCalls, 'signerId'),
    row: {
      maxCost: computed<string>('text', sql`coalesce(sum(${contractCalls.maxCost}::numeric), 0)::text`),
      count: computed<number>('integer', sql`count(*)::int`),
    },
  },
  ({ signerId }, row) => sql`select ${row} from ${contractCalls}
    where ${contractCalls.signerId} = ${signerId} and ${contractCalls.status} = 'pending'`,
);

const begun = pick(
  contractCalls,
  'id',
  'signerId',
  'contractAddress',
  'functionName',
  'data',
  'value',
  'maxCost',
  'nonce',
  'attempt',
  'txHash',
);

const insertStatement = statement(
  'signers.insert-call',
  {
    params: { ...begun, ...pick(contractCalls, 'orgId', 'projectId', 'chain', 'kind', 'idempotencyKey', 'intent') },
    row: callColumns,
  },
  (given, row) => sql`${insertInto(contractCalls, given)} returning ${row}`,
);

const againStatement = statement(
  'signers.begin-call-again',
  { params: begun, row: callColumns },
  ({ id, signerId, ...given }, row) =>
    sql`update ${contractCalls} ${setOf(contractCalls, {
      ...given,
      status: sql`'pending'`,
      error: sql`null`,
      sends: sql`0`,
      looks: sql`0`,
      strayedAt: sql`null`,
      dueAt: sql`now()`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${contractCalls.id} = ${id} and ${contractCalls.signerId} = ${signerId} returning ${row}`,
);

const transactionStatement = statement(
  'signers.insert-transaction',
  {
    params: {
      ...pick(contractTransactions, 'hash', 'callId', 'raw', 'maxFee', 'maxPriorityFee', 'isFiller'),
      gas: typed<bigint>('bigint'),
    },
  },
  // A call that is begun again may be the very transaction that was not sent.
  (given) => sql`${insertInto(contractTransactions, given)}
    on conflict (${namesOf(contractTransactions.callId, contractTransactions.hash)}) do update
    ${setOf(contractTransactions, { createdAt: sql`now()` })}`,
);
