import type { ChainReader } from '../x402/chain-reader.ts';
import { isRevert, openChain, unreachable } from '../x402/chain-reader.ts';
import { lazily } from '../x402/lazily.ts';
import { type Address, type Hex, networks } from '../x402/networks.ts';
import { PaymentsUnavailable } from '../x402/refusals.ts';
import { createSender, type Sender, type SenderTurns } from '../x402/sender.ts';

/** What became of a transfer. `unknown`: the node has it and no block does. `lost`: the node does not know it. */
export type TransferState = 'confirmed' | 'reverted' | 'unknown' | 'lost';

/** Gives test money away, from an account of the installation's own. It keeps nothing. */
export interface Faucet {
  /** Micro-dollars of one gift. */
  readonly amount: bigint;
  /** Whether the account can give so much, its gas included. @throws PaymentsUnavailable when the chain cannot be asked */
  readonly covers: (amount: bigint) => Promise<boolean>;
  /**
   * Sends so much to an address.
   *
   * @param announce told the hash before it is sent; nothing is sent when this fails
   * @throws TreasuryLow · PaymentsUnavailable when it was not sent
   */
  readonly send: (to: Address, amount: bigint, announce: (transaction: Hex) => Promise<void>) => Promise<Hex>;
  /** @param waitMs how long a block is waited for @throws PaymentsUnavailable */
  readonly stateOf: (transaction: Hex, waitMs: number) => Promise<TransferState>;
}

/** The account has not enough to give. */
export class TreasuryLow extends Error {
  override readonly name = 'TreasuryLow';
}

interface FaucetOptions {
  readonly key: Hex;
  readonly rpcUrl: string;
  readonly amount: bigint;
  readonly turns: SenderTurns;
}

const network = networks['base-sepolia'];

/** Most blocks of one request for logs: none is made here. */
const logBlocks = 1n;

/** How long the chain may not know of what was sent before its number is used again, in milliseconds. */
const lostAfterMs = 60_000;

/** Gas of one transfer, with room: what the account has to have at least. */
const gasOfTransfer = 100_000n;

const transferAbi = [
  {
    name: 'transfer',
    type: 'function',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    name: 'balanceOf',
    type: 'function',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const;

/** A faucet of test USDC on base-sepolia. Loads the library of chains when it is first used. */
export function createFaucet({ key, rpcUrl, amount, turns }: FaucetOptions): Faucet {
  const open = lazily(async (): Promise<{ readonly chain: ChainReader; readonly sender: Sender }> => {
    const [chain, { privateKeyToAccount }] = await Promise.all([
      openChain(network, rpcUrl, logBlocks),
      import('viem/accounts'),
    ]);
    await chain.check();
    return { chain, sender: createSender({ chain, account: privateKeyToAccount(key), turns, lostAfterMs }) };
  });
  return {
    amount,
    async covers(wanted) {
      const { chain, sender } = await open('chain');
      const token = { address: network.usdc.address, abi: transferAbi, functionName: 'balanceOf' } as const;
      const [tokens, gas, price] = await Promise.all([
        chain.client.readContract({ ...token, args: [sender.address] }),
        chain.client.getBalance({ address: sender.address }),
        chain.client.getGasPrice(),
      ]).catch(() => {
        throw unreachable(network);
      });
      return tokens >= wanted && gas >= gasOfTransfer * price;
    },
    async send(to, wanted, announce) {
      const { sender } = await open('chain');
      const { encodeFunctionData } = await import('viem/utils');
      const data = encodeFunctionData({ abi: transferAbi, functionName: 'transfer', args: [to, wanted] });
      try {
        return await sender.send({ to: network.usdc.address, data }, { announce, sent: () => {} });
      } catch (error) {
        // USDC refuses to move what is not there.
        if (isRevert(error)) throw new TreasuryLow('The transfer would fail.', { cause: error });
        throw error;
      }
    },
    async stateOf(transaction, waitMs) {
      const { chain } = await open('chain');
      const receipt = await chain.awaitReceipt(transaction, performance.now() + waitMs);
      if (receipt !== undefined) return receipt.status === 'success' ? 'confirmed' : 'reverted';
      return (await chain.knows(transaction)) ? 'unknown' : 'lost';
    },
  };
}

/** Whether an error says that nothing was sent, and may be tried again. */
export const isUnavailable = (error: unknown): boolean => error instanceof PaymentsUnavailable;
