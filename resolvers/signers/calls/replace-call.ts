import type { Unsigned } from '../../../engines/signers/key-wrapper.ts';
import type { SignerChain } from '../../../engines/signers/signer-chain.ts';
import type { Hex } from '../../../engines/x402/networks.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { sign, writeTransaction } from './begin-call.ts';
import { addressOf, type HeldCall, replacedStatement, type SignedTransaction } from './held-call.ts';
import { envelopeOf } from './price-call.ts';

/** How long a transaction may wait for a block before one that pays more replaces it, in milliseconds. */
const patienceMs = 60_000;

/** Chains take no replacement that pays less than a tenth more; some want an eighth. */
const dearer = (fee: bigint): bigint => (fee * 5n) / 4n + 1n;

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/**
 * Replaces a transaction that waits in vain by one of the same number that pays more, and writes it before it is sent: the
 * call has one number, so one of its transactions at most is ever in a block.
 *
 * @returns whether there is a new one to send
 */
export async function replace(
  ctx: Context,
  item: LeasedItem,
  call: HeldCall,
  chain: SignerChain,
  newest: SignedTransaction,
): Promise<boolean> {
  const fees = await chain.fees();
  const isTooCheap = newest.maxFee < fees.baseFee;
  if (!isTooCheap && newest.age < patienceMs) return false;
  const address = addressOf(call);
  // One that waits for those before it is not late.
  if ((await chain.minedCount(address)) !== call.nonce) return false;
  const maxFeePerGas = greater(dearer(newest.maxFee), fees.maxFeePerGas);
  const maxPriorityFeePerGas =
    call.kind === 'drain' ? maxFeePerGas : greater(dearer(newest.maxPriorityFee), fees.maxPriorityFeePerGas);
  const { to, data, value: given } = newest.isFiller ? emptyOf(call) : wantedOf(call);
  const cost = newest.gas * maxFeePerGas + (await chain.feeBelow(envelopeOf(data)));
  const balance = await chain.balance(address);
  // A drain sends what is left; of anything else its caller has said how much it sends.
  const value = call.kind === 'drain' && !newest.isFiller ? balance - cost : given;
  if (value < 0n || balance < value + cost) return false;
  const next = { to, data, value, gas: newest.gas, maxFeePerGas, maxPriorityFeePerGas, chainId: chain.chainId };
  return write(ctx, item, call, { ...next, isFiller: newest.isFiller, maxCost: value + cost });
}

/**
 * Puts an empty transaction in the place of one that the chain will not have: calls with later numbers wait for it.
 *
 * @returns whether there is one to send
 */
export async function fill(ctx: Context, item: LeasedItem, call: HeldCall, chain: SignerChain): Promise<boolean> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await chain.fees();
  const gas = 21_000n;
  const next = { ...emptyOf(call), gas, maxFeePerGas, maxPriorityFeePerGas, chainId: chain.chainId };
  return write(ctx, item, call, { ...next, isFiller: true, maxCost: gas * maxFeePerGas });
}

const wantedOf = (call: HeldCall) => ({
  to: call.kind === 'deploy' ? undefined : (call.contractAddress as Hex),
  data: `0x${call.data.toString('hex')}` as Hex,
  value: BigInt(call.value),
});

const emptyOf = (call: HeldCall) => ({ to: addressOf(call), data: '0x' as Hex, value: 0n });

interface Next extends Omit<Unsigned, 'nonce'> {
  readonly isFiller: boolean;
  readonly maxCost: bigint;
}

/** Signs and writes a transaction of the same number, where this node still holds the call. */
const write = (ctx: Context, { id, lease }: LeasedItem, call: HeldCall, { isFiller, maxCost, ...next }: Next) =>
  unitOfWork(ctx, async (work) => {
    const signed = await sign(work, call.signerId, { ...next, nonce: Number(call.nonce) });
    const value = isFiller ? call.value : String(next.value);
    const written = { id, lease, txHash: signed.hash, value, maxCost: String(maxCost) };
    if ((await work.rows(replacedStatement.with(written))).length === 0) return false;
    await writeTransaction(work, id, signed, next, isFiller);
    return true;
  });
