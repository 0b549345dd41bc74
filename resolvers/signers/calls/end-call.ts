import { sql } from '../../../db/drizzle.ts';
import { signerNonces } from '../../../db/schema/signers.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { CallReceipt } from '../../../engines/signers/node-answers.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { post } from '../../ledger/shared/ledger.ts';
import { worthOf } from '../signer.ts';
import { feeReference, lockNonces, signFee } from './begin-call.ts';
import { endStatement, type HeldCall } from './held-call.ts';

const nothing = {
  blockNumber: null,
  receipt: null,
  gasUsed: null,
  gasCost: null,
  gasCostUsdMicros: null,
} as const;

/** How a call ended on its chain. */
interface Ending {
  readonly receipt: CallReceipt;
  /** Whether it is of a transaction that only used the number up. */
  readonly isFiller: boolean;
  /** Micro-dollars that an ether costs. */
  readonly price: bigint | undefined;
}

/** Ends a call by its receipt: confirmed, or failed because it was reverted. Its gas is spent either way. */
export async function settle(
  { services }: Context,
  { id, lease }: LeasedItem,
  { nonce }: HeldCall,
  { receipt, isFiller, price }: Ending,
): Promise<void> {
  const error = isFiller
    ? 'The chain refused the transaction. An empty one has used its number up, since later calls waited for it.'
    : receipt.succeeded
      ? null
      : 'The contract reverted the call. Its gas is spent.';
  await services.db.rows(
    endStatement.with({
      id,
      lease,
      nonce,
      status: error === null ? 'confirmed' : 'failed',
      error,
      txHash: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
      receipt: receiptJson(receipt),
      gasUsed: String(receipt.gasUsed),
      gasCost: String(receipt.cost),
      gasCostUsdMicros: worthOf(receipt.cost, price),
    }),
  );
}

/** Ends a call whose number another transaction has, for good. */
export async function lose(
  { services }: Context,
  { id, lease }: LeasedItem,
  { nonce, txHash }: HeldCall,
): Promise<void> {
  const error = 'Another transaction of the same number is in a block: the call was not made.';
  await services.db.rows(endStatement.with({ ...nothing, id, lease, nonce, txHash, status: 'failed', error }));
}

/**
 * Ends a call that surely was not sent: gives its number back, and its fee. Under its key it may be begun again.
 *
 * @param answer why the node refused it
 * @returns false where calls with later numbers were begun: it has to be sent, or they would wait for ever
 */
export async function giveBack(
  ctx: Context,
  { id, lease }: LeasedItem,
  call: HeldCall,
  answer: 'lacks funds' | 'refused',
): Promise<boolean> {
  const error =
    answer === 'lacks funds'
      ? 'The account does not cover the value and the gas: nothing was sent.'
      : 'The chain refused the transaction: nothing was sent.';
  return unitOfWork(ctx, async (work) => {
    if ((await lockNonces(work, call.signerId)) !== call.nonce + 1n) return false;
    const ended = { ...nothing, id, lease, nonce: null, txHash: call.txHash, status: 'failed', error } as const;
    if ((await work.rows(endStatement.with(ended))).length === 0) return true;
    await work.rows(backStatement.with({ signerId: call.signerId, next: call.nonce }));
    const { type, id: reference } = feeReference(id, call.attempt);
    if (call.kind !== 'drain')
      await post(work, {
        orgId: call.orgId,
        direction: 'credit',
        kind: 'adjustment',
        amount: signFee,
        reference: { type, id: reference },
        metadata: { reason: 'not_sent', signer_id: call.signerId },
      });
    return true;
  });
}

/** A receipt as callers are shown it. */
export const receiptJson = (receipt: CallReceipt): string =>
  JSON.stringify({
    transaction_hash: receipt.transactionHash,
    block_hash: receipt.blockHash,
    block_number: Number(receipt.blockNumber),
    status: receipt.succeeded ? 'success' : 'reverted',
    gas_used: String(receipt.gasUsed),
    contract_address: receipt.contractAddress,
    logs: receipt.logs.slice(0, 200),
  });

const backStatement = statement(
  'signers.give-nonce-back',
  { params: pick(signerNonces, 'signerId', 'next') },
  ({ signerId, next }) =>
    sql`update ${signerNonces} ${setOf(signerNonces, { next })} where ${signerNonces.signerId} = ${signerId}`,
);
