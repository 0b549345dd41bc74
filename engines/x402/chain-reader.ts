import type { HttpTransport, PublicClient, Chain as ViemChain } from 'viem';
import type { Address, Hex, Network } from './networks.ts';
import type { Presented } from './presented.ts';
import { type AssetLog, authorizationCanceledTopic, authorizationUsedTopic, type Receipt } from './receipts.ts';
import { PaymentRefused, PaymentsUnavailable } from './refusals.ts';

/** What is read from one network's chain. Whatever cannot be asked is thrown as PaymentsUnavailable. */
export interface ChainReader {
  readonly network: Network;
  readonly client: PublicClient<HttpTransport, ViemChain>;
  /**
   * Whether this is the chain, and the token on it the one that signatures are made for; remembered once it is.
   *
   * @returns the token's code
   * @throws PaymentRefused `asset_not_deployed_contract` when the chain is another or has no such contract
   */
  readonly check: () => Promise<Hex>;
  /** Whether the endpoint answers, and for this chain. */
  readonly isAlive: () => Promise<boolean>;
  /** Undefined when the chain has no block with it. */
  readonly receipt: (transaction: Hex) => Promise<Receipt | undefined>;
  /**
   * Waits for a block with a transaction, and as many on top of it as make the depth, whatever the endpoint says meanwhile.
   *
   * @param until in milliseconds of the monotonic clock (`performance.now()`)
   * @param depth 1 is the block itself
   * @returns undefined when there is none by then
   */
  readonly awaitReceipt: (transaction: Hex, until: number, depth?: number) => Promise<Receipt | undefined>;
  /** Waits until an authorization has been used or cancelled, and no longer than until a moment of the monotonic clock. */
  readonly awaitUse: (presented: Presented, until: number) => Promise<void>;
  /** Whether the node has a transaction, in a block or waiting for one. */
  readonly knows: (transaction: Hex) => Promise<boolean>;
  /** Number of the newest block, asked anew each time. */
  readonly head: () => Promise<bigint>;
  /** In Unix seconds; without a number, of the newest block. */
  readonly blockTime: (number?: bigint) => Promise<bigint>;
  /** Whether an authorization has been used or cancelled. */
  readonly isSpent: (presented: Presented) => Promise<boolean>;
  /**
   * The receipt of the transaction that used an authorization, looked for in blocks since a moment, and by no more than
   * {@link logWindowsMax} requests for logs.
   *
   * @returns undefined when it was cancelled, and when its use lies farther back
   */
  readonly useOf: (presented: Presented, since: Date) => Promise<Receipt | undefined>;
}

const pauseMsMin = 5;
const pauseMsMax = 500;
const requestMsMax = 10_000;
/** What an answer gets although the time is up: the first look is at what may be there already. */
const lastAnswerMs = 1_000;

/**
 * Requests for logs that one search may take. Blocks come every two seconds, so a day is five, of the most blocks that
 * endpoints take; this many reach three days back, for payments that a server which was down has yet to hear of.
 */
const logWindowsMax = 15;

export const tokenAbi = [
  {
    name: 'DOMAIN_SEPARATOR',
    type: 'function',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: '', type: 'bytes32' }],
  },
  {
    name: 'authorizationState',
    type: 'function',
    stateMutability: 'view',
    inputs: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
] as const;

/** Errors that are the chain's own answer; any other says that it could not be asked. */
const answers = new Set(['ContractFunctionRevertedError', 'ContractFunctionZeroDataError', 'ExecutionRevertedError']);

/** Whether an error is a contract's refusal, rather than a failure to ask. */
export function isRevert(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if (answers.has(one.name)) return true;
  return false;
}

/** The endpoint's address may hold a key, and its client's errors quote it: they go no further. */
export const unreachable = (network: Network) =>
  new PaymentsUnavailable(`The chain of ${network.name} could not be asked.`);

/**
 * Reads the chain of a network by JSON-RPC. Loads the chain's library, which takes a while.
 *
 * @param logBlocksMax most blocks of one request for logs
 */
export async function openChain(network: Network, rpcUrl: string, logBlocksMax: bigint): Promise<ChainReader> {
  const { createPublicClient, defineChain, http, TransactionReceiptNotFoundError, TransactionNotFoundError } =
    await import('viem');
  const client = createPublicClient({
    chain: defineChain({
      id: network.chainId,
      name: network.name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    cacheTime: 0,
    transport: http(rpcUrl, { timeout: requestMsMax, retryCount: 1 }),
  });
  const { address: asset } = network.usdc;

  async function asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch {
      throw unreachable(network);
    }
  }

  let checked: Promise<Hex> | undefined;
  async function checkNow(): Promise<Hex> {
    const [chainId, code] = await asked(Promise.all([client.getChainId(), client.getCode({ address: asset })]));
    if (chainId !== network.chainId || code === undefined) throw new PaymentRefused('asset_not_deployed_contract');
    const separator = await client
      .readContract({ address: asset, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' })
      .catch((error: unknown) => {
        if (isRevert(error)) return undefined;
        throw unreachable(network);
      });
    if (separator !== network.usdc.domainSeparator)
      throw new PaymentsUnavailable(`The token of ${network.name} is not the one that payments are signed for.`);
    return code;
  }

  const receipt: ChainReader['receipt'] = (transaction) =>
    asked(
      client.getTransactionReceipt({ hash: transaction }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      }),
    );
  const isSpent: ChainReader['isSpent'] = ({ payer, nonce }) =>
    asked(
      client.readContract({ address: asset, abi: tokenAbi, functionName: 'authorizationState', args: [payer, nonce] }),
    );
  // Asked anew: the client would go on to tell of the block it saw first.
  const head = () => asked(client.getBlockNumber({ cacheTime: 0 }));

  return {
    network,
    client,
    check() {
      checked ??= checkNow().catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
    isAlive: () =>
      client.getChainId().then(
        (id) => id === network.chainId,
        () => false,
      ),
    receipt,
    awaitReceipt: (transaction, until, depth = 1) =>
      repeatedly(until, async () => {
        // An endpoint that fails now may answer before the time is up; one that says nothing gets no more than that.
        const found = await within(until, receipt(transaction));
        if (found === undefined) return undefined;
        const top = depth === 1 ? found.blockNumber : await within(until, head());
        return top !== undefined && top - found.blockNumber + 1n >= BigInt(depth) ? found : undefined;
      }),
    async awaitUse(presented, until) {
      await repeatedly(until, async () => (await within(until, isSpent(presented))) || undefined);
    },
    knows: (transaction) =>
      asked(
        client.getTransaction({ hash: transaction }).then(
          () => true,
          (error: unknown) => {
            if (error instanceof TransactionNotFoundError) return false;
            throw error;
          },
        ),
      ),
    head,
    blockTime: async (blockNumber) =>
      (await asked(blockNumber === undefined ? client.getBlock() : client.getBlock({ blockNumber }))).timestamp,
    isSpent: ({ payer, nonce }) =>
      asked(
        client.readContract({
          address: asset,
          abi: tokenAbi,
          functionName: 'authorizationState',
          args: [payer, nonce],
        }),
      ),
    async useOf(presented, since) {
      const oldest = BigInt(Math.floor(since.getTime() / 1000));
      let toBlock = await head();
      for (let window = 1; ; window++) {
        const fromBlock = toBlock < logBlocksMax ? 0n : toBlock - logBlocksMax + 1n;
        const [log] = await asked(logsOf(client, asset, presented, fromBlock, toBlock));
        if (log !== undefined)
          return log.topics[0] === authorizationUsedTopic ? receipt(log.transactionHash) : undefined;
        if (fromBlock === 0n || window === logWindowsMax) return undefined;
        const { timestamp } = await asked(client.getBlock({ blockNumber: fromBlock }));
        if (timestamp < oldest) return undefined;
        toBlock = fromBlock - 1n;
      }
    },
  };
}

/** Looks again and again, less and less often, until there is something or the time is up. */
async function repeatedly<T>(until: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseMs * 1.5, pauseMsMax)) {
    const seen = await look();
    const left = until - performance.now();
    if (seen !== undefined || left <= 0) return seen;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, left)));
  }
}

/** An answer, if it comes by a moment and is no failure. */
function within<T>(until: number, answer: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(until - performance.now(), lastAnswerMs), undefined);
    answer.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer));
  });
}

/** Logs of an authorization's use or its cancellation, by their topics: there is one of them at most. */
const logsOf = (
  client: PublicClient<HttpTransport, ViemChain>,
  asset: Address,
  { payer, nonce }: Presented,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly (AssetLog & { readonly transactionHash: Hex })[]> =>
  client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: asset,
        topics: [[authorizationUsedTopic, authorizationCanceledTopic], `0x${payer.slice(2).padStart(64, '0')}`, nonce],
        fromBlock: `0x${fromBlock.toString(16)}`,
        toBlock: `0x${toBlock.toString(16)}`,
      },
    ],
  }) as Promise<never>;
