import { ChainUnavailable } from '../chains/finding.ts';
import type { Address, Hex } from '../x402/networks.ts';

/** What became of a transaction that is in a block. */
export interface CallReceipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  /** Whether it did what it was to do; false: it was reverted, and cost its gas. */
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  /** All that its sender paid, in wei, the fee of the chain below among it. */
  readonly cost: bigint;
  readonly contractAddress: Address | null;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

/** What a node said makes no sense. */
const nonsense = () => new ChainUnavailable('nonsense');

/** @throws ChainUnavailable for what is no number of JSON-RPC */
export function quantity(given: unknown): bigint {
  if (typeof given !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(given)) throw nonsense();
  return BigInt(given);
}

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/** @throws ChainUnavailable for what is no hexadecimal text, or of another length */
export function hexOf(given: unknown, bytes?: number): Hex {
  const isHex = typeof given === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(given);
  if (!isHex || (bytes !== undefined && given.length !== 2 + bytes * 2)) throw nonsense();
  return given.toLowerCase() as Hex;
}

/** @throws ChainUnavailable for what is no block */
export function blockOf(given: unknown): { readonly hash: Hex; readonly baseFee: bigint; readonly number: bigint } {
  if (!isObject(given)) throw nonsense();
  return {
    hash: hexOf(given.hash, 32),
    number: quantity(given.number),
    baseFee: given.baseFeePerGas === undefined ? 0n : quantity(given.baseFeePerGas),
  };
}

/**
 * The receipt of a transaction; undefined when there is none.
 *
 * @throws ChainUnavailable for the receipt of another one, and for what is none
 */
export function receiptOf(given: unknown, hash: Hex): CallReceipt | undefined {
  if (given === null || given === undefined) return undefined;
  if (!isObject(given) || hexOf(given.transactionHash, 32) !== hash.toLowerCase()) throw nonsense();
  const status = quantity(given.status);
  if (status > 1n || !Array.isArray(given.logs)) throw nonsense();
  const gasUsed = quantity(given.gasUsed);
  const below = given.l1Fee === undefined || given.l1Fee === null ? 0n : quantity(given.l1Fee);
  return {
    transactionHash: hash,
    blockHash: hexOf(given.blockHash, 32),
    blockNumber: quantity(given.blockNumber),
    succeeded: status === 1n,
    gasUsed,
    cost: gasUsed * quantity(given.effectiveGasPrice) + below,
    contractAddress: given.contractAddress == null ? null : (hexOf(given.contractAddress, 20) as Address),
    logs: given.logs.map((log: unknown) => {
      if (!isObject(log) || !Array.isArray(log.topics)) throw nonsense();
      return {
        address: hexOf(log.address, 20),
        topics: log.topics.map((topic) => hexOf(topic, 32)),
        data: hexOf(log.data),
      };
    }),
  };
}

/** An answer of JSON-RPC that is an error. */
export interface NodeError {
  readonly code: number;
  /** In small letters. */
  readonly said: string;
  readonly data: Hex | undefined;
}

/** The error that a node answered with; undefined where it did not answer. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one.name !== 'RpcRequestError') continue;
    const { code, details, data } = one as Error & {
      readonly code: number;
      readonly details?: unknown;
      readonly data?: unknown;
    };
    const told = isObject(data) ? data.data : data;
    return {
      code,
      said: String(details ?? '').toLowerCase(),
      data: typeof told === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(told) ? (told as Hex) : undefined,
    };
  }
  return undefined;
}

export const isRevert = ({ code, said }: NodeError): boolean => code === 3 || /revert|invalid opcode/.test(said);

/** Whether a node will not have what it is asked for. Limits and faults of its own say nothing of that. */
export const isRefusal = ({ code, said }: NodeError): boolean =>
  [-32_000, -32_003, -32_602].includes(code) &&
  !/time[d ]?out|limit exceeded|rate limit|too many|internal|not found|missing|unavailable|busy|sync/.test(said);

export const lacksFunds = ({ said }: NodeError): boolean =>
  /insufficient (?:funds|balance)|outoffunds?|exceeds (?:the )?balance|gas required exceeds allowance/.test(said);
