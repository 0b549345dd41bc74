import { ServiceError } from '../../../core/errors.ts';
import { revertReason } from '../../../engines/signers/contract-abi.ts';
import { type Intended, LacksFunds, type SignerChain, WouldRevert } from '../../../engines/signers/signer-chain.ts';
import type { Hex } from '../../../engines/x402/networks.ts';

/** What a call needs, as the chain says before it is begun. */
export interface Priced extends Intended {
  readonly chainId: number;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Most that it may cost, its value among it. */
  readonly maxCost: bigint;
  /** What the account holds. */
  readonly balance: bigint;
  /** Its transactions that are in blocks. */
  readonly minedCount: bigint;
}

/** Bytes of a signed transaction of the chain's own coin, beside its data: what the fee of the chain below is worked out for. */
export const envelopeOf = (data: Hex): Hex => `0x${'ff'.repeat(180)}${data.slice(2)}`;

/**
 * Asks the chain what a call takes.
 *
 * @param fragment says what errors of the contract are called
 * @throws CONTRACT_CALL_REVERTED, SIGNER_LACKS_FUNDS, ChainUnavailable
 */
export async function priceCall(
  chain: SignerChain,
  intended: Intended,
  fragment: readonly unknown[] = [],
): Promise<Priced> {
  const asked = [
    chain.gas(intended),
    chain.fees(),
    chain.balance(intended.from),
    chain.minedCount(intended.from),
    chain.feeBelow(envelopeOf(intended.data)),
  ] as const;
  const [gas, { maxFeePerGas, maxPriorityFeePerGas }, balance, minedCount, below] = await Promise.all(asked).catch(
    async (error: unknown) => {
      if (error instanceof LacksFunds) throw lacksFunds(intended.from);
      if (error instanceof WouldRevert) throw await reverted(error, fragment);
      throw error;
    },
  );
  const maxCost = intended.value + gas * maxFeePerGas + below;
  if (balance < maxCost) throw lacksFunds(intended.from, { balance, maxCost });
  return { ...intended, chainId: chain.chainId, gas, maxFeePerGas, maxPriorityFeePerGas, maxCost, balance, minedCount };
}

export async function reverted({ data }: WouldRevert, fragment: readonly unknown[]): Promise<ServiceError> {
  const reason = await revertReason(data, fragment);
  return new ServiceError('CONTRACT_CALL_REVERTED', {
    ...(reason === null ? {} : { message: `The contract would revert the call: ${reason}` }),
    details: { reason, data: data ?? null },
  });
}

export const lacksFunds = (
  address: string,
  known?: { readonly balance: bigint; readonly maxCost: bigint },
): ServiceError =>
  new ServiceError('SIGNER_LACKS_FUNDS', {
    details: {
      address,
      ...(known === undefined ? {} : { balance_wei: String(known.balance), required_wei: String(known.maxCost) }),
    },
  });
