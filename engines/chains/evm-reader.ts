import type { Address, Hash } from 'viem';
import { awaiting, ChainUnavailable, type Finding, pending, refused } from './finding.ts';
import type { AcceptedAsset, EvmNetwork, EvmNetworkName } from './networks.ts';
import { createRpcClient, loadViem } from './rpc-client.ts';
import { largest, receivedBy, usedIn } from './transfers.ts';
import { reasonOf } from './unavailable.ts';

/** Reads what transactions of one network paid. */
export interface ChainReader {
  /**
   * @param hash in its normal form
   * @param payTo the wallet whose payments count
   * @throws ChainUnavailable
   */
  readonly read: (hash: string, payTo: string) => Promise<Finding>;
}

export interface EvmReaderOptions {
  readonly name: EvmNetworkName;
  readonly network: EvmNetwork;
  /** Its JSON-RPC endpoint, which the operator named; may hold a key. */
  readonly url: string;
  /** How deep a transaction has to lie. @default the network's own */
  readonly confirmations?: number | undefined;
  /** Told of what an operator should know. */
  readonly warn: (facts: Readonly<Record<string, unknown>>, message: string) => void;
}

/** Longest wait for an answer of an endpoint, in milliseconds. */
const answerMs = 6_000;

/** Largest answer, in bytes: a receipt with as many logs as fit in a block. */
const answerBytesMax = 16 * 1024 * 1024;

/** How often a question is repeated that was not answered. */
const repeats = 1;

export function createEvmReader({ name, network, url, confirmations, warn }: EvmReaderOptions): ChainReader {
  const required = confirmations ?? network.confirmations;
  let connected: ReturnType<typeof connect> | undefined;
  const decimals = new Map<AcceptedAsset, number>();

  async function connect() {
    const library = await loadViem();
    const client = createRpcClient(library, { url, answerMs, bytesMax: answerBytesMax, repeats });
    if ((await client.getChainId()) !== network.chainId) throw new ChainUnavailable('wrong_chain');
    return { library, client };
  }

  /** The endpoint proves once that it is of this chain; one that does not is asked again the next time. */
  function connection() {
    const asked = connected ?? connect();
    connected = asked;
    asked.catch(() => {
      if (connected === asked) connected = undefined;
    });
    return asked;
  }

  /** Whether a contract divides its unit as the table says. Asked when something was first paid in it, and remembered. */
  async function isAsListed(asset: AcceptedAsset): Promise<boolean> {
    let said = decimals.get(asset);
    if (said === undefined) {
      said = await decimalsOf(asset);
      decimals.set(asset, said);
      if (said !== asset.decimals)
        warn(
          { network: name, asset: asset.symbol, listed: asset.decimals, said },
          'An asset is not accepted any more.',
        );
    }
    return said === asset.decimals;
  }

  /** What a contract says of itself, −1 when it does not. */
  async function decimalsOf({ address }: AcceptedAsset): Promise<number> {
    const { client, library } = await connection();
    const { ContractFunctionRevertedError, ContractFunctionZeroDataError } = library;
    try {
      return await client.readContract({
        address: address as Address,
        abi: library.erc20Abi,
        functionName: 'decimals',
      });
    } catch (error) {
      const isSilent = (cause: unknown) =>
        cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
      if (error instanceof library.BaseError && error.walk(isSilent) !== null) return -1;
      throw error;
    }
  }

  async function find(hash: Hash, payTo: string): Promise<Finding> {
    const { client, library } = await connection();
    const transaction = await client.getTransaction({ hash }).catch(none(library.TransactionNotFoundError));
    if (transaction === undefined) return pending('tx_not_found');
    const { blockNumber } = transaction;
    if (blockNumber === null) return pending('tx_unconfirmed');
    const [receipt, block, head] = await Promise.all([
      client.getTransactionReceipt({ hash }).catch(none(library.TransactionReceiptNotFoundError)),
      client.getBlock({ blockNumber }).catch(none(library.BlockNotFoundError)),
      // Not the head of a moment ago: the library would remember it.
      client.getBlockNumber({ cacheTime: 0 }),
    ]);
    // The block that it was in may not be of the chain any more, or not be known everywhere yet.
    if (receipt === undefined || block === undefined || receipt.blockHash !== block.hash)
      return pending('tx_unconfirmed');
    if (receipt.status !== 'success') return refused('tx_failed');
    const depth = Number(head - blockNumber) + 1;
    if (depth < required && !(await isFinal(blockNumber))) return awaiting(depth, required);

    const { sums, others } = receivedBy(payTo, network.assets, receipt.logs);
    const listed = await Promise.all(sums.map(async (sum) => ({ ...sum, isAsListed: await isAsListed(sum.asset) })));
    const best = largest(listed.filter((sum) => sum.isAsListed));
    if (best === undefined) {
      const paidOtherwise =
        others || listed.length > 0 || (transaction.value > 0n && sameAddress(transaction.to, payTo));
      return refused(paidOtherwise ? 'unsupported_asset' : 'no_payment_found');
    }
    return {
      state: 'paid',
      payment: {
        network: name,
        txHash: hash,
        logKey: best.asset.address,
        asset: best.asset.symbol,
        decimals: best.asset.decimals,
        amount: best.amount,
        // What was minted, as by a bridge, was paid by whoever had it minted.
        payer: library.getAddress(best.from ?? transaction.from),
        block: Number(blockNumber),
        confirmations: depth,
        paidAt: new Date(Number(block.timestamp) * 1000),
      },
      used: usedIn(network.assets, receipt.logs),
    };
  }

  /** Whether the chain itself calls a block final, however little lies above it. Not every node says. */
  async function isFinal(blockNumber: bigint): Promise<boolean> {
    const { client } = await connection();
    const final = await client.getBlock({ blockTag: 'finalized' }).catch(() => undefined);
    return final !== undefined && final.number >= blockNumber;
  }

  return {
    async read(hash, payTo) {
      try {
        return await find(hash as Hash, payTo);
      } catch (error) {
        throw error instanceof ChainUnavailable ? error : new ChainUnavailable(reasonOf(error));
      }
    },
  };
}

/** Takes one kind of error for "there is none". */
const none =
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of an error's constructor do not matter here.
    (kind: new (...args: any[]) => Error) =>
    (error: unknown): undefined => {
      if (error instanceof kind) return undefined;
      throw error;
    };

const sameAddress = (left: string | null, right: string) => left?.toLowerCase() === right.toLowerCase();
