import { signInHeader } from '../../../sdk/src/wallet.ts';
import type { Wallet } from '../files/wallets.ts';
import { signText } from './signing.ts';

interface SiwxOptions {
  /** @default 32 fresh hexadecimal characters */
  readonly nonce?: string;
}

/** A fresh value of the header `SIGN-IN-WITH-X` for one request. Contract 04, section 0.2. */
export const siwxHeader = ({ address, privateKey }: Wallet, url: URL, options?: SiwxOptions): Promise<string> =>
  signInHeader(
    { address, signMessage: async (text) => signText(privateKey, text) },
    url.origin + url.pathname,
    options?.nonce,
  );
