import type { PrivateKeyAccount } from 'viem/accounts';
import { type ChainReader, isRevert, unreachable } from './chain-reader.ts';
import type { Address, Hex } from './networks.ts';
import { PaymentRefused, PaymentsUnavailable } from './refusals.ts';

/**
 * Hands out the numbers of one account's transactions, to one sender at a time: of all nodes that share the account.
 */
export interface SenderTurns {
  /**
   * @param work gets the next number as it was stored last, and returns the one to store. What it throws is thrown on,
   *   and nothing is stored
   */
  readonly take: <T>(
    chainId: number,
    sender: Address,
    work: (storedNonce: bigint | undefined) => Promise<{ readonly next: bigint; readonly value: T }>,
  ) => Promise<T>;
}

/** A call of a contract. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** Sends transactions from one account on one chain. */
export interface Sender {
  readonly address: Address;
  /**
   * Signs a call and sends it. Once it resolves the transaction may be on its way, though the node did not say so.
   *
   * @throws what the chain says when the call would fail, PaymentRefused when it would cost too much gas,
   *   PaymentsUnavailable when it could not be sent: then it was not
   */
  readonly send: (call: Call, journey: RequestOrigin) => Promise<Hex>;
}

/** Who is told of a transaction on its way. */
export interface RequestOrigin {
  /** Its hash, before it is sent; once more for another when the node will not have the first. It is not sent when this fails. */
  readonly announce: (transaction: Hex) => Promise<void>;
  /** That it was sent, though the node may not have said so. */
  readonly sent: (transaction: Hex) => void;
}

interface SenderOptions {
  readonly chain: ChainReader;
  readonly account: PrivateKeyAccount;
  readonly turns: SenderTurns;
  /**
   * How long the chain may know of fewer transactions than were sent before they count as lost, in milliseconds: their
   * numbers are then used again.
   */
  readonly lostAfterMs: number;
}

/** What a node said to a transaction. */
type Answer = 'taken' | 'unknown' | 'number-used';

/**
 * Most gas that a call may be estimated at. A transfer takes less than 100,000, a wallet that checks its signature some
 * more; but a payer's wallet is a contract of its own, which could have the settling account pay for whatever it does.
 */
const gasMax = 400_000n;

/** Numbers tried for one transaction. */
const attemptsMax = 4;

export function createSender({ chain, account, turns, lostAfterMs }: SenderOptions): Sender {
  const { client, network } = chain;
  const { address } = account;
  const address_ = address.toLowerCase() as Address;

  // One waits for a turn at a time: a turn may hold a connection of the database's for as long as it waits.
  let queue: Promise<unknown> = Promise.resolve();
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = queue.then(work, work);
    queue = mine.catch(() => undefined);
    return mine;
  }

  const countNow = () =>
    client.getTransactionCount({ address, blockTag: 'pending' }).then(BigInt, () => {
      throw unreachable(network);
    });

  /** Since when the chain has known of so few transactions. */
  let behind: { readonly count: bigint; readonly since: number } | undefined;

  /**
   * The number of the next transaction. An endpoint may lag behind what was sent a moment ago, so the higher number is
   * right; but a transaction that got lost leaves a gap, which nothing after it passes until it is filled.
   */
  function nextNumber(count: bigint, stored: bigint | undefined): bigint {
    if (stored === undefined || count >= stored) {
      behind = undefined;
      return count;
    }
    if (behind?.count !== count) behind = { count, since: performance.now() };
    return performance.now() - behind.since >= lostAfterMs ? count : stored;
  }

  /** With room for blocks that fill up for a while. Asked together: the library's own estimate asks one after the other. */
  async function feesNow() {
    const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
      client.getBlock(),
      client.estimateMaxPriorityFeePerGas(),
    ]);
    return { maxFeePerGas: (baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
  }

  /**
   * What a call needs, asked before the turn: others need not wait for it. Where others were faster meanwhile, the number
   * that they stored is higher than the count.
   */
  async function priced({ to, data }: Call) {
    const gasOf = client.estimateGas({ account: address, to, data });
    const asked = [gasOf, feesNow(), countNow(), client.getBalance({ address })] as const;
    const [estimate, fees, count, balance] = await Promise.all(asked).catch((error: unknown) => {
      if (isRevert(error)) throw error;
      throw lacksGas(error) ? outOfGas() : unreachable(network);
    });
    if (estimate > gasMax) throw new PaymentRefused('invalid_exact_evm_transaction_simulation_failed');
    // The state may have moved a little when it comes into its block.
    const gas = (estimate * 12n) / 10n;
    // Known before anything is announced, so that the payment is as good as it was.
    if (balance < gas * fees.maxFeePerGas) throw outOfGas();
    return { count, transaction: { to, data, gas, ...fees } };
  }

  const outOfGas = () => new PaymentsUnavailable(`The settling account has no gas left on ${network.name}.`);

  async function submit(serializedTransaction: Hex): Promise<Answer> {
    try {
      // Not repeated by the client: the node's second answer would be that it has it already.
      await client.request({ method: 'eth_sendRawTransaction', params: [serializedTransaction] }, { retryCount: 0 });
      return 'taken';
    } catch (error) {
      const said = saidBy(error);
      if (/already (known|imported)|known transaction/.test(said)) return 'taken';
      if (/nonce too low|nonce is too low|underpriced/.test(said)) return 'number-used';
      if (lacksGas(error)) throw outOfGas();
      return 'unknown';
    }
  }

  return {
    address: address_,
    async send(call, { announce, sent: tellSent }) {
      const { keccak256 } = await import('viem/utils');
      const { count, transaction } = await priced(call);
      let sent: Hex | undefined;
      const turn = () =>
        turns.take(network.chainId, address_, async (stored) => {
          let nonce = nextNumber(count, stored);
          for (let attempt = 1; attempt <= attemptsMax; attempt++) {
            const raw = await account.signTransaction({
              ...transaction,
              type: 'eip1559',
              chainId: network.chainId,
              nonce: Number(nonce),
            });
            const hash = keccak256(raw);
            await announce(hash);
            const answer = await submit(raw);
            // What may not have been sent leaves its number to the next: a number nobody uses would hold all others up.
            const next = answer === 'taken' ? nonce + 1n : nonce;
            if (answer !== 'number-used') {
              sent = hash;
              tellSent(hash);
              return { next: max(next, stored), value: hash };
            }
            nonce = max(nonce + 1n, await countNow());
          }
          throw new PaymentsUnavailable(`The settling account's turn on ${network.name} is taken by another sender.`);
        });
      return inOrder(turn).catch((error: unknown) => {
        // The number could not be stored, and the transaction is on its way all the same.
        if (sent !== undefined) return sent;
        throw error;
      });
    },
  };
}

const max = (one: bigint, other: bigint | undefined) => (other === undefined || one > other ? one : other);

/** What the node said, in small letters; empty when it did not answer. */
function saidBy(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one.name === 'RpcRequestError' && 'details' in one) return String(one.details).toLowerCase();
  }
  return '';
}

const lacksGas = (error: unknown) => /insufficient funds|outoffund/.test(saidBy(error));
