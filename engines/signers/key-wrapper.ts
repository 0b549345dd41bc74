import type { KeyRing } from '../../core/keys.ts';
import type { Address, Hex } from '../x402/networks.ts';

/** A transaction of EIP-1559 that waits for its signature. */
export interface Unsigned {
  readonly chainId: number;
  readonly nonce: number;
  /** Undefined: it makes a contract. */
  readonly to: Address | undefined;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A transaction that can be sent. */
export interface Signed {
  readonly hash: Hex;
  readonly raw: Hex;
}

/** Keeps keys of signers. A key is made here, is used here, and leaves by no way. */
export interface KeyWrapper {
  /** Makes a key. @param signer its id, which {@link sign} needs again */
  readonly create: (signer: string) => Promise<{ readonly address: Address; readonly wrapped: Buffer }>;
  /** @throws when the key was wrapped for another signer, or under a root secret that is gone */
  readonly sign: (signer: string, wrapped: Buffer, transaction: Unsigned) => Promise<Signed>;
}

const contextOf = (signer: string) => `signer ${signer}`;

/** Keys in envelopes of AES-256-GCM under the root secret, each for its signer alone. */
export function createKeyWrapper(keys: KeyRing): KeyWrapper {
  return {
    async create(signer) {
      const { generatePrivateKey, privateKeyToAddress } = await import('viem/accounts');
      const key = generatePrivateKey();
      return {
        address: privateKeyToAddress(key).toLowerCase() as Address,
        wrapped: keys.seal('signer-keys', Buffer.from(key.slice(2), 'hex'), contextOf(signer)),
      };
    },
    async sign(signer, wrapped, { to, ...transaction }) {
      const { keccak256 } = await import('viem');
      const { privateKeyToAccount } = await import('viem/accounts');
      const key: Hex = `0x${keys.open('signer-keys', wrapped, contextOf(signer)).toString('hex')}`;
      const account = privateKeyToAccount(key);
      const raw = await account.signTransaction({
        ...transaction,
        ...(to === undefined ? {} : { to }),
        type: 'eip1559',
      });
      return { hash: keccak256(raw), raw };
    },
  };
}
