import { type ChainReader, isRevert, unreachable } from './chain-reader.ts';
import { type Facilitator, payloadOf, reasonOr } from './facilitator.ts';
import type { Address, Hex } from './networks.ts';
import type { Presented } from './presented.ts';
import type { Receipt } from './receipts.ts';
import { PaymentRefused } from './refusals.ts';
import type { RequestOrigin, Sender } from './sender.ts';
import { requirementV2 } from './terms.ts';

interface OwnFacilitatorOptions {
  readonly chain: ChainReader;
  /** Undefined: it verifies, and settles nothing. */
  readonly sender: Sender | undefined;
  /** Factories that may be called to make the wallet of a payer that has none yet (ERC-6492). */
  readonly allowedFactories: readonly Address[];
}

/** What went on while the library worked on one payment. */
interface Attempt {
  /** Something could not be asked or sent; the library takes that for the payment's own fault. */
  fault: Error | undefined;
  /** The transaction that the payment is settled by. */
  transaction: Hex | undefined;
  /** What the chain says of it, asked as soon as it was sent. */
  receipt: Promise<Receipt | undefined> | undefined;
  readonly announce: (transaction: Hex) => Promise<void>;
  readonly until: number;
  /** By address. */
  readonly codes: Map<Address, Promise<Hex | undefined>>;
}

/** The reference facilitator in this process, on one network's chain. */
export async function createOwnFacilitator({
  chain,
  sender,
  allowedFactories,
}: OwnFacilitatorOptions): Promise<Facilitator> {
  const [{ encodeFunctionData, concat }, { x402Facilitator }, { ExactEvmScheme }] = await Promise.all([
    import('viem/utils'),
    import('@x402/core/facilitator'),
    import('@x402/evm/exact/facilitator'),
  ]);
  const { client, network } = chain;

  /** The library with a signer of this attempt's own, which keeps apart what the library does not. */
  async function facilitatorFor(attempt: Attempt) {
    const tokenCode = await chain.check();
    /** Looks for the receipt while others do what is left to do of the turn. */
    const awaitIt = (transaction: Hex) => {
      attempt.receipt = chain.awaitReceipt(transaction, attempt.until);
      attempt.receipt.catch(() => undefined);
    };
    async function read<T>(answer: Promise<T>): Promise<T> {
      try {
        return await answer;
      } catch (error) {
        if (!isRevert(error)) attempt.fault ??= unreachable(network);
        throw error;
      }
    }
    async function send(to: Address, data: Hex, journey: RequestOrigin): Promise<Hex> {
      if (sender === undefined) throw (attempt.fault ??= new Error('This facilitator has no account to settle with.'));
      try {
        return await sender.send({ to, data }, journey);
      } catch (error) {
        if (!isRevert(error)) attempt.fault ??= error as Error;
        throw error;
      }
    }
    const { codes } = attempt;
    const signer = {
      getAddresses: () => (sender === undefined ? [] : [sender.address]),
      readContract: (call: Parameters<typeof client.readContract>[0]) => read(client.readContract(call)),
      verifyTypedData: (typed: unknown) => read(client.verifyTypedData(typed as never)),
      async getCode({ address }: { readonly address: Address }) {
        // The library asks this in the background, and lets a failure to ask end the process: it is known already.
        if (address === network.usdc.address) return tokenCode;
        let known = codes.get(address);
        if (known === undefined) {
          known = read(client.getCode({ address }));
          codes.set(address, known);
          known.catch(() => codes.delete(address));
        }
        return known;
      },
      async writeContract(call: {
        readonly address: Address;
        readonly abi: readonly unknown[];
        readonly functionName: string;
        readonly args: readonly unknown[];
        readonly dataSuffix?: Hex;
      }) {
        const data = encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0]);
        const whole = call.dataSuffix === undefined ? data : concat([data, call.dataSuffix]);
        attempt.transaction = await send(call.address, whole, { announce: attempt.announce, sent: awaitIt });
        return attempt.transaction;
      },
      // Makes a payer's wallet: no transaction that pays.
      sendTransaction: ({ to, data }: { readonly to: Address; readonly data: Hex }) =>
        send(to, data, { announce: async () => {}, sent: () => {} }),
      async waitForTransactionReceipt({ hash }: { readonly hash: Hex }) {
        const receipt = await (hash === attempt.transaction
          ? attempt.receipt
          : chain.awaitReceipt(hash, attempt.until));
        if (receipt === undefined) throw new Error('There is no block with the transaction yet.');
        return receipt as { readonly status: string };
      },
    };
    return new x402Facilitator().register(
      network.caip2,
      new ExactEvmScheme(signer, { eip6492AllowedFactories: [...allowedFactories] }),
    );
  }

  /**
   * What payers are, as it was seen when their payments were verified: it need not be asked again to settle them. The
   * chain itself judges a transfer before it is sent, by what its payer is then.
   */
  const seen = new WeakMap<Presented, Attempt['codes']>();

  const begin = (announce: Attempt['announce'], until: number, codes: Attempt['codes'] = new Map()): Attempt => ({
    fault: undefined,
    transaction: undefined,
    receipt: undefined,
    announce,
    until,
    codes,
  });

  return {
    async verify(payment) {
      const attempt = begin(async () => {}, 0);
      seen.set(payment.presented, attempt.codes);
      const facilitator = await facilitatorFor(attempt);
      const answer = await facilitator
        .verify(payloadOf(payment), requirementV2(payment.terms))
        // What the library throws on is a signature that it cannot take apart, or a chain that it could not ask.
        .catch(() => ({ isValid: false, invalidReason: 'invalid_exact_evm_failed_to_parse_signature' }));
      if (attempt.fault !== undefined) throw attempt.fault;
      return answer.isValid ? undefined : reasonOr(answer.invalidReason, 'unexpected_verify_error');
    },
    async settle(payment, announce, until) {
      const attempt = begin(announce, until, seen.get(payment.presented));
      const facilitator = await facilitatorFor(attempt);
      const answer = await facilitator.settle(payloadOf(payment), requirementV2(payment.terms)).catch(() => {
        throw attempt.fault ?? new PaymentRefused('unexpected_settle_error', attempt.transaction);
      });
      const { transaction } = attempt;
      if (answer.success && transaction !== undefined)
        return { state: 'settled', transaction, receipt: await attempt.receipt };
      if (transaction === undefined && attempt.fault !== undefined) throw attempt.fault;
      if (answer.errorReason === 'settlement_pending') return { state: 'unknown', transaction };
      return { state: 'refused', reason: reasonOr(answer.errorReason, 'unexpected_settle_error'), transaction };
    },
  };
}
