import { ChainUnavailable } from '../chains/finding.ts';
import { createRpcClient, loadViem } from '../chains/rpc-client.ts';
import { reasonOf } from '../chains/unavailable.ts';
import type { Address, Hex } from '../x402/networks.ts';
import { gasPriceOracle, type SignerNetwork } from './networks.ts';
import {
  blockOf,
  type CallReceipt,
  hexOf,
  isRefusal,
  isRevert,
  lacksFunds,
  nodeErrorOf,
  quantity,
  receiptOf,
} from './node-answers.ts';

/** What a transaction does, before it has a nonce and fees. */
export interface Intended {
  readonly from: Address;
  /** Undefined: it makes a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
}

/** In wei for each gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Of the newest block: what pays less waits. */
  readonly baseFee: bigint;
}

/**
 * What a node said to a transaction. `taken`: it has it. `nonce used`: a transaction of that number is in a block. `beaten`:
 * one of that number waits, and pays as much. `too cheap`: it pays less than the chain asks. `refused`: it will not have it,
 * `lacks funds` for want of them. `unknown`: nothing that tells, so it may have it.
 */
export type Answer = 'taken' | 'nonce used' | 'beaten' | 'too cheap' | 'lacks funds' | 'refused' | 'unknown';

/** The chain says that a transaction would be reverted. */
export class WouldRevert extends Error {
  override readonly name = 'WouldRevert';
  /** What the contract returned, encoded. */
  readonly data: Hex | undefined;

  constructor(data: Hex | undefined) {
    super('The chain says that the call would be reverted.');
    this.data = data;
  }
}

/** The account has less than a transaction needs. */
export class LacksFunds extends Error {
  override readonly name = 'LacksFunds';
}

/** One chain, as signers need it. Whatever cannot be asked, or answered nonsense, is thrown as ChainUnavailable. */
export interface SignerChain {
  readonly chainId: number;
  /** Blocks that a transaction needs to be confirmed, its own among them. */
  readonly depth: number;
  readonly balance: (address: Address) => Promise<bigint>;
  /** Transactions of an account that are in blocks. */
  readonly minedCount: (address: Address) => Promise<bigint>;
  readonly head: () => Promise<bigint>;
  /** Hash of the block of a number; undefined when there is none. */
  readonly blockHash: (number: bigint) => Promise<Hex | undefined>;
  readonly fees: () => Promise<Fees>;
  /** Gas that a transaction takes, with a fifth more. @throws WouldRevert, LacksFunds */
  readonly gas: (intended: Intended) => Promise<bigint>;
  /** Fee of the chain below for a transaction of some bytes, with a quarter more; 0 where there is none. */
  readonly feeBelow: (raw: Hex) => Promise<bigint>;
  /** @throws WouldRevert */
  readonly read: (to: Address, data: Hex) => Promise<Hex>;
  readonly send: (raw: Hex) => Promise<Answer>;
  readonly receipt: (hash: Hex) => Promise<CallReceipt | undefined>;
  /** Micro-dollars that an ether costs; undefined where the chain does not tell, or has not for a day. */
  readonly etherPrice: () => Promise<bigint | undefined>;
}

const answerMs = 6_000;
const answerBytesMax = 4 * 1024 * 1024;

/** How old a price may be, in seconds. */
const priceAgeMax = 86_400n;

const decodedWord = (data: Hex, at: number): bigint => {
  const word = data.slice(2 + at * 64, 66 + at * 64);
  if (word.length !== 64) throw new ChainUnavailable('nonsense');
  return BigInt(`0x${word}`);
};

/** Opens a chain by its JSON-RPC endpoint. @throws ChainUnavailable when the endpoint is of another chain */
export async function openSignerChain(
  network: SignerNetwork,
  { url, depth, now }: { readonly url: string; readonly depth: number; readonly now: () => Date },
): Promise<SignerChain> {
  const library = await loadViem();
  const client = createRpcClient(library, { url, answerMs, bytesMax: answerBytesMax, repeats: 1 });

  /** @throws what a node answered with as it is; else ChainUnavailable */
  async function ask(method: string, params: readonly unknown[], repeats?: number): Promise<unknown> {
    try {
      const options = repeats === undefined ? {} : { retryCount: repeats };
      return await client.request({ method, params } as never, options);
    } catch (error) {
      if (nodeErrorOf(error) !== undefined) throw error;
      throw new ChainUnavailable(reasonOf(error));
    }
  }

  /** As {@link ask}, where an error of the node's means that it cannot tell. */
  const told = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    ask(method, params).catch((error: unknown) => {
      throw error instanceof ChainUnavailable ? error : new ChainUnavailable('node_error');
    });

  /** @throws WouldRevert, LacksFunds */
  const simulated = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    ask(method, params).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) throw error;
      const said = nodeErrorOf(error)!;
      // A contract may speak of balances, too.
      if (isRevert(said)) throw new WouldRevert(said.data);
      if (lacksFunds(said)) throw new LacksFunds();
      if (isRefusal(said)) throw new WouldRevert(undefined);
      throw new ChainUnavailable('node_error');
    });

  if (quantity(await told('eth_chainId')) !== BigInt(network.chainId)) throw new ChainUnavailable('wrong_chain');

  /** Whether there is a contract; remembered once there is. */
  const found = new Set<string>();
  async function hasCode(address: string): Promise<boolean> {
    if (found.has(address)) return true;
    const has = hexOf(await told('eth_getCode', address, 'latest')) !== '0x';
    if (has) found.add(address);
    return has;
  }

  const callOf = ({ from, to, data, value }: Intended) => ({
    from,
    ...(to === undefined ? {} : { to }),
    data,
    value: library.toHex(value),
  });

  return {
    chainId: network.chainId,
    depth,
    balance: async (address) => quantity(await told('eth_getBalance', address, 'latest')),
    minedCount: async (address) => quantity(await told('eth_getTransactionCount', address, 'latest')),
    head: async () => quantity(await told('eth_blockNumber')),
    async blockHash(number) {
      const block = await told('eth_getBlockByNumber', library.toHex(number), false);
      return block === null ? undefined : blockOf(block).hash;
    },
    async fees() {
      const [block, tip] = await Promise.all([
        told('eth_getBlockByNumber', 'latest', false),
        told('eth_maxPriorityFeePerGas'),
      ]);
      const { baseFee } = blockOf(block);
      const maxPriorityFeePerGas = quantity(tip);
      return { baseFee, maxPriorityFeePerGas, maxFeePerGas: baseFee * 2n + maxPriorityFeePerGas };
    },
    async gas(intended) {
      const estimate = quantity(await simulated('eth_estimateGas', callOf(intended)));
      // What needs no more than the least needs exactly that.
      return estimate === 21_000n ? estimate : (estimate * 6n) / 5n;
    },
    async feeBelow(raw) {
      if (!(await hasCode(gasPriceOracle))) return 0n;
      const data = library.encodeFunctionData({
        abi: library.parseAbi(['function getL1Fee(bytes data) view returns (uint256)']),
        args: [raw],
      });
      const fee = decodedWord(hexOf(await told('eth_call', { to: gasPriceOracle, data }, 'latest')), 0);
      return (fee * 5n) / 4n;
    },
    read: async (to, data) => hexOf(await simulated('eth_call', { to, data }, 'latest')),
    async send(raw) {
      try {
        // Not repeated by the client: the node's second answer would be that it has it already.
        hexOf(await ask('eth_sendRawTransaction', [raw], 0), 32);
        return 'taken';
      } catch (error) {
        const said = nodeErrorOf(error);
        return said === undefined ? 'unknown' : answerOf(said);
      }
    },
    receipt: async (hash) => receiptOf(await told('eth_getTransactionReceipt', hash), hash),
    async etherPrice() {
      if (!(await hasCode(network.priceFeed))) return undefined;
      // latestRoundData(): round, answer with 8 decimals, started at, updated at, answered in round.
      const data = hexOf(await told('eth_call', { to: network.priceFeed, data: '0xfeaf968c' }, 'latest'));
      const answer = decodedWord(data, 1);
      const age = BigInt(Math.floor(now().getTime() / 1_000)) - decodedWord(data, 3);
      return answer > 0n && answer < 10n ** 15n && age <= priceAgeMax ? answer / 100n : undefined;
    },
  };
}

function answerOf(said: NonNullable<ReturnType<typeof nodeErrorOf>>): Answer {
  if (/already (?:known|imported)|known transaction/.test(said.said)) return 'taken';
  if (/nonce (?:is )?too low|nonce has already been used/.test(said.said)) return 'nonce used';
  if (/replacement transaction underpriced/.test(said.said)) return 'beaten';
  if (/underpriced|fee (?:cap )?less than block base fee|max fee per gas less than/.test(said.said)) return 'too cheap';
  if (lacksFunds(said)) return 'lacks funds';
  return isRefusal(said) ? 'refused' : 'unknown';
}
