import { randomBytes } from 'node:crypto';
import { concat, encodeFunctionData, getAddress, type Hex, hashTypedData, pad, parseSignature, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type NetworkName, networks } from '../../engines/x402/networks.ts';
import { type Presented, readPresented } from '../../engines/x402/presented.ts';
import type { SenderTurns } from '../../engines/x402/sender.ts';
import { encodeHeader, requirementV2, type Terms } from '../../engines/x402/terms.ts';
import { tokenAbi } from './chain.ts';

/** A receiver of payments that nobody else in a test uses. */
export const freshAddress = () => getAddress(`0x${randomBytes(20).toString('hex')}`);

/** Terms of a sale of 0.01 to a receiver of its own, on base. */
export const someTerms = (more: Partial<Terms> = {}): Terms => ({
  network: 'base',
  payTo: freshAddress(),
  amount: 10_000n,
  resource: 'https://gateway.example/api/x402-audit?url=https%3A%2F%2Fshop.example%2F',
  description: 'Full GEO, schema and llms.txt audit',
  mimeType: 'application/json',
  maxTimeoutSeconds: 120,
  ...more,
});

export interface Authorization {
  readonly from: `0x${string}`;
  readonly to: `0x${string}`;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

const typed = (network: NetworkName, message: Authorization) => {
  const { chainId, usdc } = networks[network];
  const domain = { name: usdc.name, version: usdc.version, chainId, verifyingContract: usdc.address };
  return { domain, types, primaryType: 'TransferWithAuthorization', message } as const;
};

export const digestOf = (network: NetworkName, message: Authorization) => hashTypedData(typed(network, message));

export const authorizationFor = (
  terms: Terms,
  from: `0x${string}`,
  more: Partial<Authorization> = {},
): Authorization => ({
  from,
  to: terms.payTo,
  value: terms.amount,
  validAfter: 0n,
  validBefore: BigInt(Math.floor(Date.now() / 1000) + terms.maxTimeoutSeconds),
  nonce: `0x${randomBytes(32).toString('hex')}`,
  ...more,
});

interface PaymentOptions {
  /** @default 2 */
  readonly version?: 1 | 2;
  /** Signed instead of what the terms ask. */
  readonly signed?: Partial<Authorization>;
  /** Put over what was signed, after signing. */
  readonly tampered?: Partial<Authorization>;
  /** Put over the payment, beside its payload. */
  readonly around?: object;
  /** Behind the signature, for wallets that are contracts. */
  readonly suffix?: Hex;
}

/** A payment as a client would make it: the value of its header. */
export async function payment(payer: PrivateKeyAccount, terms: Terms, options: PaymentOptions = {}): Promise<string> {
  const { version = 2, signed, tampered, around, suffix = '0x' } = options;
  const authorization = authorizationFor(terms, payer.address, signed);
  const signature = concat([await payer.signTypedData(typed(terms.network, authorization)), suffix]);
  const written = Object.fromEntries(
    Object.entries({ ...authorization, ...tampered }).map(([name, value]) => [name, String(value)]),
  );
  return encodeHeader({
    x402Version: version,
    ...(version === 1
      ? { scheme: 'exact', network: terms.network }
      : { accepted: requirementV2(terms), resource: { url: terms.resource } }),
    payload: { signature, authorization: written },
    ...around,
  });
}

/** {@link payment}, as the service reads it. */
export const presentedPayment = async (payer: PrivateKeyAccount, terms: Terms, options: PaymentOptions = {}) =>
  readPresented(await payment(payer, terms, options));

/** The call that brings a payment onto the chain, whoever makes it. */
export const broadcastOf = ({ payer, payTo, value, validAfter, validBefore, nonce, signature }: Presented) =>
  encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [payer, payTo, value, validAfter, validBefore, nonce, signature],
  });

/** The call that cancels an authorization that was not used yet. */
export async function cancellationOf(payer: PrivateKeyAccount, { nonce }: Presented, network: NetworkName = 'base') {
  const { domain } = typed(network, { from: payer.address } as Authorization);
  const signature = await payer.signTypedData({
    domain,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  });
  const { r, s, v } = parseSignature(signature);
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: 'cancelAuthorization',
    args: [payer.address, nonce, Number(v), r, s],
  });
}

/** Code of a wallet that holds every signature for its own, after going round as often as it is told: 26 gas each. */
export const slowWallet = (rounds: number): Hex =>
  concat(['0x62', pad(toHex(rounds), { size: 3 }), '0x5b6001900380600457631626ba7e60e01b60005260206000f3']);

/** Turns of one account, for all who are given the same: the database's part in a test without one. */
export function memoryTurns(): SenderTurns {
  const stored = new Map<string, bigint>();
  let queue: Promise<unknown> = Promise.resolve();
  return {
    take(chainId, sender, work) {
      const key = `${chainId} ${sender}`;
      const turn = queue.then(async () => {
        const { next, value } = await work(stored.get(key));
        stored.set(key, next);
        return value;
      });
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}
