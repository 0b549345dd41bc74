import type { ChainReader } from './evm-reader.ts';
import { awaiting, ChainUnavailable, type Finding, pending, refused } from './finding.ts';
import { tonNetwork } from './networks.ts';
import {
  createTonIndex,
  type JettonTransfer,
  pageMax,
  type TonIndex,
  type TonIndexOptions,
  type TonTrace,
  type TonTransaction,
} from './ton-index.ts';
import { reasonOf } from './unavailable.ts';

/** Opcode of the message by which one jetton wallet credits another. */
const internalTransfer = 0x178d4519;

/** Most pages of transfers that are looked through for those of one trace. */
const pagesMax = 5;

export interface TonReaderOptions extends TonIndexOptions {
  /** How many blocks of the masterchain have to follow. @default 1 */
  readonly confirmations?: number | undefined;
}

// Loaded on first use: a gateway that verifies nothing starts without it.
const load = () => import('@ton/core');

/** Reads what transactions of TON paid, by an index of the chain. Contract 00, section 2.5. */
export function createTonReader({ confirmations, ...options }: TonReaderOptions): ChainReader {
  const required = confirmations ?? tonNetwork.confirmations;
  const index = createTonIndex(options);

  async function find(hash: string, payTo: string): Promise<Finding> {
    const { Address } = await load();
    /** Addresses have many spellings; undefined for what is none. */
    const raw = (text: string | null | undefined): string | undefined => {
      try {
        return text == null ? undefined : Address.parse(text).toRawString();
      } catch {
        return undefined;
      }
    };
    const wallet = raw(payTo)!;
    const named = await locate(index, hash);
    if (named === undefined) return pending('tx_not_found');
    const trace = await index.trace(named.hash);
    if (trace === undefined || !isComplete(trace)) return pending('tx_unconfirmed');
    const transactions = new Map(Object.values(trace.transactions).map((one) => [one.hash, one]));
    // A trace of something else proves nothing.
    if (!transactions.has(named.hash)) throw new ChainUnavailable('another_trace');

    const received = async (master?: string) =>
      (await transfersOf(index, trace, { owner: wallet, master })).filter(
        ({ destination, transaction_hash }) => raw(destination) === wallet && transactions.has(transaction_hash),
      );
    const ours = (await received(tonNetwork.asset.address)).filter(
      ({ jetton_master }) => raw(jetton_master) === tonNetwork.asset.address,
    );
    const paid = ours.flatMap((transfer) => {
      const delivery = deliveryOf(transfer, transactions);
      return delivery === undefined || transfer.amount === 0n ? [] : [{ transfer, delivery }];
    });
    const best = bestOf(paid, hash);
    if (best === undefined) {
      const toWallet = [...transactions.values()].filter(({ account }) => raw(account) === wallet);
      const failed =
        ours.some(({ amount }) => amount > 0n) || !succeeded(named) || toWallet.some((one) => !succeeded(one));
      if (failed) return refused('tx_failed');
      const paidOtherwise = toWallet.some(({ in_msg }) => (in_msg?.value ?? 0n) > 0n) || (await received()).length > 0;
      return refused(paidOtherwise ? 'unsupported_asset' : 'no_payment_found');
    }

    const { transfer, delivery } = best;
    const block = delivery.mc_block_seqno;
    if (block == null) return awaiting(0, required);
    const depth = (await index.head()) - block;
    if (depth < required) return awaiting(depth, required);
    const payer = raw(transfer.source);
    if (payer === undefined) throw new ChainUnavailable('malformed_answer');
    return {
      state: 'paid',
      payment: {
        network: 'ton',
        txHash: transfer.transaction_hash,
        logKey: trace.trace_id,
        asset: tonNetwork.asset.symbol,
        decimals: tonNetwork.asset.decimals,
        amount: transfer.amount,
        payer,
        block,
        confirmations: depth,
        paidAt: new Date(transfer.transaction_now * 1000),
      },
      used: [],
    };
  }

  return {
    async read(hash, payTo) {
      try {
        return await find(hash, payTo);
      } catch (error) {
        throw error instanceof ChainUnavailable ? error : new ChainUnavailable(reasonOf(error));
      }
    },
  };
}

/** The transaction of a hash, which may be that of a message: wallets show the one that they sent. */
async function locate(index: TonIndex, hash: string): Promise<TonTransaction | undefined> {
  const isIt = (
    message: { readonly hash: string; readonly hash_norm?: string | null | undefined } | null | undefined,
  ) => message?.hash === hash || message?.hash_norm === hash;
  const found = (await index.transactions(hash)).find((one) => one.hash === hash);
  return (
    found ??
    (await index.transactionsByMessage(hash, 'in')).find(({ in_msg }) => isIt(in_msg)) ??
    (await index.transactionsByMessage(hash, 'out')).find(({ out_msgs }) => out_msgs?.some(isIt) === true)
  );
}

const isComplete = ({ is_incomplete, trace_info: { trace_state, pending_messages } }: TonTrace) =>
  !is_incomplete && trace_state === 'complete' && (pending_messages ?? 0) === 0;

const succeeded = ({ description: { aborted, compute_ph, action }, in_msg }: TonTransaction) =>
  aborted !== true &&
  compute_ph?.success !== false &&
  compute_ph?.skipped !== true &&
  action?.success !== false &&
  in_msg?.bounced !== true;

/** All transfers of one trace that the index knows. */
async function transfersOf(
  index: TonIndex,
  { trace_id, start_utime, end_utime }: TonTrace,
  { owner, master }: { readonly owner: string; readonly master?: string | undefined },
): Promise<JettonTransfer[]> {
  const found: JettonTransfer[] = [];
  for (let page = 0; page < pagesMax; page++) {
    const query = { owner, master, since: start_utime, until: end_utime, offset: page * pageMax };
    const transfers = await index.jettonTransfers(query);
    // Older versions do not say which trace; it is told by the transaction, too.
    found.push(...transfers.filter((one) => one.trace_id == null || one.trace_id === trace_id));
    if (transfers.length < pageMax) return found;
  }
  throw new ChainUnavailable('too_many_transfers');
}

/**
 * The transaction that credited the receiver's jetton wallet. That the sender's wallet did its part is not enough: the
 * message to the receiver's is delivered later, and may bounce.
 */
function deliveryOf(
  { transaction_hash, transaction_aborted }: JettonTransfer,
  transactions: ReadonlyMap<string, TonTransaction>,
): TonTransaction | undefined {
  const sent = transactions.get(transaction_hash)!;
  if (transaction_aborted || !succeeded(sent)) return undefined;
  const messages = new Set(sent.out_msgs?.map((message) => message.hash));
  for (const one of transactions.values()) {
    const { in_msg } = one;
    if (in_msg?.opcode === internalTransfer && messages.has(in_msg.hash) && succeeded(one)) return one;
  }
  return undefined;
}

/** The transfer that was named itself, else the largest; of equals the first. */
function bestOf<Paid extends { readonly transfer: JettonTransfer }>(
  paid: readonly Paid[],
  hash: string,
): Paid | undefined {
  const named = paid.find(({ transfer }) => transfer.transaction_hash === hash);
  if (named !== undefined) return named;
  return paid.reduce<Paid | undefined>((best, one) => {
    if (best === undefined || one.transfer.amount > best.transfer.amount) return one;
    const isEarlier = one.transfer.transaction_lt < best.transfer.transaction_lt;
    return one.transfer.amount === best.transfer.amount && isEarlier ? one : best;
  }, undefined);
}
