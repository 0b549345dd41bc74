import { signInHeader } from '../../../sdk/src/wallet.ts';
import type { Wallet } from '../files/wallets.ts';
import { signText } from './signing.ts';

interface SiwxOptions {
  /** @default 32 fresh hexadecimal characters */
  readonly nonce?: string;
  /** How much later than here it is at the gateway, in milliseconds. @default 0 */
  readonly laterMs?: number;
}

/** A fresh value of the header `SIGN-IN-WITH-X` for one request. Contract 04, section 0.2. */
export const siwxHeader = (
  { address, privateKey }: Wallet,
  url: URL,
  { nonce, laterMs = 0 }: SiwxOptions = {},
): Promise<string> =>
  signInHeader(
    { address, signMessage: async (text) => signText(privateKey, text), now: () => Date.now() + laterMs },
    url.origin + url.pathname,
    nonce,
  );
