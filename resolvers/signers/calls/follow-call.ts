import { setTimeout as sleep } from 'node:timers/promises';
import { ChainUnavailable } from '../../../engines/chains/finding.ts';
import type { CallReceipt } from '../../../engines/signers/node-answers.ts';
import type { SignerChain } from '../../../engines/signers/signer-chain.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { giveBack, lose, receiptJson, settle } from './end-call.ts';
import {
  addressOf,
  asSigned,
  type HeldCall,
  heldStatement,
  laterStatement,
  type SignedTransaction,
  sendingStatement,
  transactionsStatement,
} from './held-call.ts';
import { fill, replace } from './replace-call.ts';

/** Pauses between looks right after a transaction was sent, in milliseconds. */
const firstLooks = [60, 150, 300, 600, 900];

/** Pauses between later looks, in seconds: the more of them there were, the longer. */
const pauseOf = (looks: number): number => (looks < 10 ? 2 : looks < 60 ? 5 : looks < 300 ? 15 : 60);

/** How long another transaction of its number has to be in a block before a call counts as lost, in milliseconds. */
const strayedMs = 600_000;

/** One of its transactions in a block of the chain. */
interface Look {
  readonly receipt: CallReceipt;
  readonly isDeep: boolean;
  readonly isFiller: boolean;
}

/**
 * Sends a call that this node holds, and looks what became of it. Whatever happened to the nodes before: what is sent is
 * what was written. While the chain cannot be asked the call stays as it is.
 */
export async function followCall(ctx: Context, item: LeasedItem): Promise<void> {
  const { services } = ctx;
  const [held] = await services.db.rows(heldStatement.with({ id: item.id, lease: item.lease }));
  if (held === undefined || held.nonce === null) return;
  const call: HeldCall = { ...held, nonce: held.nonce };
  if (!services.signerChains.offers(call.chain)) return later(ctx, item, { seconds: 60 });
  try {
    await follow(ctx, item, call, await services.signerChains.open(call.chain));
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    services.log.warn({ call: call.id, chain: call.chain, reason: error.message }, 'A chain could not be asked.');
    await later(ctx, item, { seconds: pauseOf(call.looks), seen: call.blockNumber });
  }
}

async function follow(ctx: Context, item: LeasedItem, call: HeldCall, chain: SignerChain): Promise<void> {
  const transactions = (await ctx.services.db.rows(transactionsStatement.with({ callId: call.id }))).map(asSigned);
  if (call.sends > 0) {
    const seen = await look(chain, transactions);
    if (seen !== undefined) return found(ctx, item, call, chain, seen);
  }
  return send(ctx, item, call, chain, transactions);
}

/** Sends its newest transaction, again and again until the chain has it; replaces one that pays too little. */
async function send(
  ctx: Context,
  item: LeasedItem,
  call: HeldCall,
  chain: SignerChain,
  transactions: readonly SignedTransaction[],
): Promise<void> {
  const newest = transactions.at(-1)!;
  const [sending] = await ctx.services.db.rows(sendingStatement.with({ id: item.id, lease: item.lease }));
  if (sending === undefined) return;
  const answer = await chain.send(newest.raw);
  if (answer === 'lacks funds' || answer === 'refused') {
    // Nothing can have been sent by the only attempt, and none before it may have been.
    if (sending.sends === 1 && (await giveBack(ctx, item, call, answer))) return;
    const filled = !newest.isFiller && (await fill(ctx, item, call, chain));
    return later(ctx, item, { seconds: filled ? 0 : pauseOf(call.looks) });
  }
  if (answer === 'nonce used') return whoseNumber(ctx, item, call, chain, transactions);
  if (answer !== 'unknown') {
    const seen = answer === 'too cheap' ? undefined : await soon(ctx, chain, transactions);
    if (seen !== undefined) return found(ctx, item, call, chain, seen);
    if (await replace(ctx, item, call, chain, newest)) return later(ctx, item, { seconds: 0 });
  }
  return later(ctx, item, { seconds: pauseOf(call.looks) });
}

/** A transaction of its number is in a block: one of its own shows soon, or there was another. */
async function whoseNumber(
  ctx: Context,
  item: LeasedItem,
  call: HeldCall,
  chain: SignerChain,
  transactions: readonly SignedTransaction[],
): Promise<void> {
  const seen = await look(chain, transactions);
  if (seen !== undefined) return found(ctx, item, call, chain, seen);
  const isUsed = (await chain.minedCount(addressOf(call))) > call.nonce;
  if (isUsed && call.strayedAt !== null && Date.now() - call.strayedAt.getTime() > strayedMs)
    return lose(ctx, item, call);
  return later(ctx, item, { seconds: pauseOf(call.looks), strayed: isUsed });
}

/** Its transaction is in a block: over once that lies deep enough. */
async function found(
  ctx: Context,
  item: LeasedItem,
  call: HeldCall,
  chain: SignerChain,
  { receipt, isDeep, isFiller }: Look,
): Promise<void> {
  if (!isDeep) return later(ctx, item, { seconds: 2, seen: receipt.blockNumber, receipt });
  const price = await chain.etherPrice().catch(() => undefined);
  return settle(ctx, item, call, { receipt, isFiller, price });
}

/** Looks a few times in quick succession. @returns undefined when there is nothing yet */
async function soon(
  { signal }: Context,
  chain: SignerChain,
  transactions: readonly SignedTransaction[],
): Promise<Look | undefined> {
  for (const pause of firstLooks) {
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const seen = await look(chain, transactions);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

/** Looks for the one of its transactions that is in a block of the chain as it is now. */
async function look(chain: SignerChain, transactions: readonly SignedTransaction[]): Promise<Look | undefined> {
  for (const { hash, isFiller } of transactions.toReversed()) {
    const receipt = await chain.receipt(hash);
    if (receipt === undefined) continue;
    const [blockHash, head] = await Promise.all([chain.blockHash(receipt.blockNumber), chain.head()]);
    // The block that it was in may not be of the chain any more.
    if (blockHash !== receipt.blockHash) continue;
    return { receipt, isFiller, isDeep: head - receipt.blockNumber + 1n >= BigInt(chain.depth) };
  }
  return undefined;
}

/** Lets go of a call, and has it looked at again. @param more.seen the block that it was seen in; null: in none */
async function later(
  { services }: Context,
  { id, lease }: LeasedItem,
  more: {
    readonly seconds: number;
    readonly seen?: bigint | null;
    readonly receipt?: CallReceipt;
    readonly strayed?: boolean;
  },
): Promise<void> {
  const { seconds, seen = null, receipt, strayed = false } = more;
  await services.db.rows(
    laterStatement.with({
      id,
      lease,
      seconds,
      strayed,
      blockNumber: seen,
      receipt: receipt === undefined ? null : receiptJson(receipt),
    }),
  );
}
