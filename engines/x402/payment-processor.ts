import { type ChainReader, openChain } from './chain-reader.ts';
import type { Facilitator, Handed } from './facilitator.ts';
import { lazily } from './lazily.ts';
import { type CheckState, stateOf } from './liveness.ts';
import { match, matchTime } from './match.ts';
import { type Address, type Hex, type NetworkName, networks } from './networks.ts';
import { createOwnFacilitator } from './own-facilitator.ts';
import type { Presented } from './presented.ts';
import { paymentIn, type Receipt, type TransferLog, transfersOf } from './receipts.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from './refusals.ts';
import { createRemoteFacilitator } from './remote-facilitator.ts';
import { createSender, type SenderTurns } from './sender.ts';
import type { Terms } from './terms.ts';

/** A payment that was made. */
export interface Settlement {
  readonly network: NetworkName;
  readonly chainId: number;
  readonly transaction: Hex;
  /** Of the transfer in its block; null when a facilitator's word is all there is. */
  readonly logIndex: number | null;
  /** In lower case. */
  readonly payer: Address;
  /** In micro-dollars. */
  readonly amount: bigint;
  /** Of its block; of now, when a facilitator's word is all there is. */
  readonly blockTime: Date;
}

/** A transaction that somebody names as proof of a payment. */
export type Incoming =
  | { readonly status: 'absent' | 'reverted' }
  | {
      readonly status: 'success';
      /** 1 for one in the newest block. */
      readonly depth: number;
      readonly blockTime: Date;
      /** Transfers of the network's USDC to the address asked for, in their order. */
      readonly transfers: readonly TransferLog[];
    };

/** What settling is told. */
export interface SettlementCallbacks {
  /**
   * Called with the hash of the payment's transaction: before it is sent, where this process sends it. May be called
   * again with another, which then counts alone. The payment is not sent when this fails.
   */
  readonly broadcast: (transaction: Hex) => Promise<void>;
  /** Nothing is handed over before it resolves, nor when it fails; what comes before may be done meanwhile. */
  readonly noted?: Promise<unknown>;
  /** The transaction of an attempt before this one, whose outcome was not known. */
  readonly previous?: Hex | undefined;
}

/** Takes payments. It keeps nothing: who was served, and for what, is its caller's to remember. */
export interface PaymentProcessor {
  /** Who settles: this process, a facilitator somewhere else, or nobody. */
  readonly mode: 'self' | 'facilitator' | 'unavailable';
  /**
   * Holds a payment against the terms, as far as that needs neither chain nor clock.
   *
   * @throws PaymentRefused
   */
  readonly match: (presented: Presented, terms: Terms) => void;
  /**
   * Whether a payment that matches would go through now. One that somebody else has brought onto the chain already is
   * right, too: {@link settle} will find it.
   *
   * @throws PaymentRefused · PaymentsUnavailable · PaymentPending for one that is on the chain, not deep enough yet
   */
  readonly verify: (presented: Presented, terms: Terms) => Promise<void>;
  /**
   * Brings a verified payment onto the chain, once however often it is called: the token takes each signature once.
   *
   * @throws PaymentRefused when it was not paid · PaymentPending when that is not known, also of one that was handed
   *   over before · PaymentsUnavailable when it was not handed over by this call
   */
  readonly settle: (presented: Presented, terms: Terms, told: SettlementCallbacks) => Promise<Settlement>;
  /**
   * Looks on the chain for a payment that may have been made, by whomever.
   *
   * @throws PaymentsUnavailable · PaymentPending when its block is not as deep yet as the terms ask
   */
  readonly find: (presented: Presented, terms: Terms, where?: Where) => Promise<Settlement | undefined>;
  /**
   * Whether a signature can still be used, by whoever holds it: it has been neither used nor cancelled, and the chain's
   * time has not passed it.
   *
   * @throws PaymentsUnavailable
   */
  readonly isOpen: (presented: Presented, terms: Terms) => Promise<boolean>;
  /** @throws PaymentsUnavailable */
  readonly incoming: (network: NetworkName, transaction: Hex, payTo: Address) => Promise<Incoming>;
  readonly health: () => Promise<{ readonly rpc: CheckState; readonly facilitator: CheckState }>;
}

interface Where {
  /** A transaction that may be the one. */
  readonly transaction?: Hex | undefined;
  /** @default 24 hours ago */
  readonly since?: Date | undefined;
}

export interface PaymentProcessorOptions {
  /** Key of the account that pays for the gas, when this process settles. */
  readonly settlerKey?: Hex | undefined;
  /** A facilitator that settles instead. */
  readonly facilitatorUrl?: string | undefined;
  readonly rpcUrls: Readonly<Partial<Record<NetworkName, string | undefined>>>;
  /** Depth that terms with `confirmed` wait for. @default 1 */
  readonly confirmations?: Readonly<Partial<Record<NetworkName, number | undefined>>>;
  readonly turns: SenderTurns;
  /** What a signature's time is held against. @default the machine's clock */
  readonly now?: () => Date;
  /** How long an outcome is waited for, in milliseconds. @default 30_000 */
  readonly settleMs?: number;
  /** Factories of wallets that may be called for payers without one (ERC-6492). @default none */
  readonly allowedFactories?: readonly Address[];
  /** How long sent transactions may be unknown to the chain before they count as lost, in milliseconds. @default 60_000 */
  readonly lostAfterMs?: number;
  /** Most blocks that logs are asked of at once: endpoints refuse more than about ten thousand. @default 9_000 */
  readonly logBlocksMax?: number;
}

const dayMs = 86_400_000;

/** What the chain says when an authorization is spent; where Multicall3 is missing it cannot tell why. */
const spentReasons = ['invalid_exact_evm_nonce_already_used', 'invalid_exact_evm_transaction_simulation_failed'];

export function createPaymentProcessor({
  settlerKey,
  facilitatorUrl,
  rpcUrls,
  confirmations = {},
  turns,
  now = () => new Date(),
  settleMs = 30_000,
  allowedFactories = [],
  lostAfterMs = 60_000,
  logBlocksMax = 9_000,
}: PaymentProcessorOptions): PaymentProcessor {
  const hasChain = (network: NetworkName) => rpcUrls[network] !== undefined;
  const remote =
    facilitatorUrl === undefined ? undefined : createRemoteFacilitator({ url: facilitatorUrl, requestMs: settleMs });
  const self = remote === undefined && settlerKey !== undefined && names.some(hasChain);

  const chains = lazily((network: NetworkName) => {
    const url = rpcUrls[network];
    if (url === undefined) throw new PaymentsUnavailable(`No chain is configured for ${network}.`);
    return openChain(networks[network], url, BigInt(logBlocksMax));
  });
  const own = lazily(async (network: NetworkName) => {
    const chain = await chains(network);
    return createOwnFacilitator({ chain, sender: await senderOn(chain), allowedFactories });
  });
  async function senderOn(chain: ChainReader) {
    if (!self || settlerKey === undefined) return undefined;
    const { privateKeyToAccount } = await import('viem/accounts');
    return createSender({ chain, account: privateKeyToAccount(settlerKey), turns, lostAfterMs });
  }
  async function facilitatorOn(network: NetworkName): Promise<Facilitator> {
    if (remote !== undefined) return remote;
    if (!self) throw new PaymentsUnavailable('Nobody is configured to settle payments.');
    return own(network);
  }

  const find: PaymentProcessor['find'] = async (presented, terms, { transaction, since } = {}) => {
    if (!hasChain(terms.network)) return undefined;
    const chain = await chains(terms.network);
    const named = transaction === undefined ? undefined : await chain.receipt(transaction);
    const made = named === undefined ? undefined : await settlementIn(chain, named, presented);
    if (made !== undefined) return deepEnough(chain, named!, terms, made);
    if (!(await chain.isSpent(presented))) return undefined;
    const used = await chain.useOf(presented, since ?? new Date(now().getTime() - dayMs));
    const found = used === undefined ? undefined : await settlementIn(chain, used, presented);
    return found === undefined ? undefined : deepEnough(chain, used!, terms, found);
  };

  const depthOf = ({ network, confirmed }: Terms) => (confirmed === true ? (confirmations[network] ?? 1) : 1);

  /** What was made counts once its block is as deep as the terms ask. @throws PaymentPending until then */
  async function deepEnough(chain: ChainReader, { blockNumber }: Receipt, terms: Terms, made: Settlement) {
    const depth = depthOf(terms);
    if (depth > 1 && (await chain.head()) - blockNumber + 1n < BigInt(depth))
      throw new PaymentPending(made.transaction);
    return made;
  }

  const isOpen: PaymentProcessor['isOpen'] = async (presented, terms) => {
    if (!hasChain(terms.network)) return BigInt(Math.floor(now().getTime() / 1000)) < presented.validBefore;
    const chain = await chains(terms.network);
    return !(await chain.isSpent(presented)) && (await chain.blockTime()) < presented.validBefore;
  };

  /** What came of a payment that was handed over: from here on, not to know is not to have failed. */
  async function outcomeOf(
    presented: Presented,
    terms: Terms,
    {
      state,
      transaction,
      receipt: seen,
    }: Pick<Handed, 'state' | 'transaction'> & { readonly receipt?: Receipt | undefined },
    until: number,
  ): Promise<Settlement | undefined> {
    try {
      const chain = await chains(terms.network);
      if (transaction !== undefined) {
        const depth = depthOf(terms);
        const isSeen = depth === 1 && seen !== undefined;
        const receipt = isSeen ? seen : await chain.awaitReceipt(transaction, until, depth);
        if (receipt === undefined) throw new PaymentPending(transaction);
        const made = await settlementIn(chain, receipt, presented);
        if (made !== undefined) return made;
      } else if (state === 'unknown') await chain.awaitUse(presented, until);
      return await find(presented, terms);
    } catch {
      throw new PaymentPending(transaction ?? '');
    }
  }

  /** Waits for what was sent before, unless the chain has lost it. */
  async function resumed(presented: Presented, terms: Terms, previous: Hex, until: number) {
    if (!hasChain(terms.network)) return undefined;
    const chain = await chains(terms.network);
    const known = await chain.knows(previous).catch(() => {
      throw new PaymentPending(previous);
    });
    return known
      ? outcomeOf(presented, terms, { state: 'unknown', transaction: previous }, until)
      : find(presented, terms);
  }

  return {
    mode: remote === undefined ? (self ? 'self' : 'unavailable') : 'facilitator',
    match,
    find,
    isOpen,
    async verify(presented, terms) {
      matchTime(presented, now().getTime());
      const facilitator = await facilitatorOn(terms.network);
      const reason = await facilitator.verify({ presented, terms });
      if (reason === undefined) return;
      if (spentReasons.includes(reason) && hasChain(terms.network)) {
        // Somebody else may have brought the payer's signature onto the chain. That it is the payer's is known before
        // the chain is asked whether it is spent; of another facilitator's order of checks nothing is known.
        const here = remote === undefined ? reason : await (await own(terms.network)).verify({ presented, terms });
        if (here !== undefined && spentReasons.includes(here) && (await find(presented, terms)) !== undefined) return;
      }
      throw new PaymentRefused(reason);
    },
    async settle(presented, terms, { broadcast, noted, previous }) {
      // Whoever comes to wait for it hears of its failure; until then it is nobody's.
      noted?.catch(() => undefined);
      const until = performance.now() + settleMs;
      const facilitator = await facilitatorOn(terms.network);
      const before = previous === undefined ? undefined : await resumed(presented, terms, previous, until);
      if (before !== undefined) return before;
      // What this process sends itself is announced first.
      if (remote !== undefined) await noted;
      const announce = async (transaction: Hex) => {
        await noted;
        await broadcast(transaction);
      };
      const handed = await facilitator.settle({ presented, terms }, announce, until);
      const { transaction } = handed;
      if (!hasChain(terms.network)) {
        if (handed.state === 'refused') throw new PaymentRefused(handed.reason, transaction);
        if (handed.state === 'unknown') throw new PaymentPending(transaction ?? '');
        return settlement(terms.network, presented, handed.transaction, null, now());
      }
      // A facilitator's word is held against the chain, whichever way it goes.
      const made = await outcomeOf(presented, terms, handed, until);
      if (made !== undefined) return made;
      if (handed.state === 'refused') throw new PaymentRefused(handed.reason, transaction);
      // It said otherwise than the chain does, and may yet do what it said, as long as the signature is good.
      if (await isOpen(presented, terms).catch(() => true)) throw new PaymentPending(transaction ?? '');
      throw new PaymentRefused('invalid_exact_evm_transfer_event_mismatch', transaction);
    },
    async incoming(network, transaction, payTo) {
      const chain = await chains(network);
      await chain.check();
      const receipt = await chain.receipt(transaction);
      if (receipt === undefined) return { status: 'absent' };
      if (receipt.status === 'reverted') return { status: 'reverted' };
      const [head, time] = await Promise.all([chain.head(), chain.blockTime(receipt.blockNumber)]);
      return {
        status: 'success',
        depth: Number(head - receipt.blockNumber) + 1,
        blockTime: dateOf(time),
        transfers: transfersOf(receipt, networks[network]).filter(({ to }) => to === payTo.toLowerCase()),
      };
    },
    async health() {
      const alive = names.filter(hasChain).map(async (network) => (await chains(network)).isAlive());
      const [rpc, facilitator] = await Promise.all([
        stateOf(alive.length === 0 ? undefined : Promise.all(alive).then((all) => all.every(Boolean))),
        stateOf(remote?.isAlive()),
      ]);
      return { rpc, facilitator };
    },
  };
}

const names = Object.keys(networks) as readonly NetworkName[];

/** The payment in a receipt, as it is remembered. */
async function settlementIn(chain: ChainReader, receipt: Receipt, presented: Presented) {
  const logIndex = paymentIn(receipt, chain.network, presented);
  if (logIndex === undefined) return undefined;
  const time = receipt.logs[0]?.blockTimestamp ?? (await chain.blockTime(receipt.blockNumber));
  return settlement(chain.network.name, presented, receipt.transactionHash, logIndex, dateOf(time));
}

const settlement = (
  network: NetworkName,
  presented: Presented,
  transaction: Hex,
  logIndex: number | null,
  blockTime: Date,
): Settlement => ({
  network,
  chainId: networks[network].chainId,
  transaction: transaction.toLowerCase() as Hex,
  logIndex,
  payer: presented.payer,
  amount: presented.value,
  blockTime,
});

const dateOf = (seconds: bigint) => new Date(Number(seconds) * 1000);
