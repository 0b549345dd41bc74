import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type SiwxMessage, siwxText } from '../../resolvers/identity/siwx-message.ts';

interface WalletHeaderOptions {
  /** Address of the API, for example `http://localhost:4000`. */
  readonly baseUrl: string;
  /** Path of the request, without a query. @default '/' */
  readonly path?: string;
  readonly now?: Date;
  /** @default 32 fresh hex characters */
  readonly nonce?: string;
  readonly statement?: string;
  /** @default 300 */
  readonly expiresInSeconds?: number;
  /** @default 'eip155:84532' */
  readonly chainId?: string;
  /** Put over the fields before signing; `undefined` leaves a field out. */
  readonly overrides?: Record<string, unknown>;
  /** Put over the fields, signature included, after signing; `undefined` leaves a field out. */
  readonly tamper?: Record<string, unknown>;
}

export interface TestWallet {
  /** Lower case. */
  readonly address: `0x${string}`;
  readonly checksumAddress: `0x${string}`;
  readonly privateKey: `0x${string}`;
  /** A fresh value for `SIGN-IN-WITH-X`. */
  readonly header: (options: WalletHeaderOptions) => Promise<string>;
}

/** The header's encoding, for whatever a test wants to put into it. */
export const encodeHeader = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

export function createWallet(privateKey: `0x${string}` = generatePrivateKey()): TestWallet {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as `0x${string}`,
    checksumAddress: account.address,
    privateKey,
    async header(options) {
      const now = options.now ?? new Date();
      const message = {
        domain: new URL(options.baseUrl).hostname,
        address: account.address,
        statement: options.statement ?? 'Sign in to svc.',
        uri: options.baseUrl.replace(/\/$/, '') + (options.path ?? '/'),
        version: '1',
        chainId: options.chainId ?? 'eip155:84532',
        type: 'eip191',
        nonce: options.nonce ?? randomBytes(16).toString('hex'),
        issuedAt: now.toISOString(),
        expirationTime: new Date(now.getTime() + (options.expiresInSeconds ?? 300) * 1000).toISOString(),
        ...options.overrides,
      } as Omit<SiwxMessage, 'signature'>;
      const signature = await account.signMessage({ message: siwxText(message) });
      return encodeHeader({ ...message, signature, ...options.tamper });
    },
  };
}
