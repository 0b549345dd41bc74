import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { checksumAddress } from './address.ts';

/** Signs texts: a wallet of the browser, or a key of this page. */
export interface Signer {
  readonly kind: 'key' | 'wallet';
  /** Display name. */
  readonly label: string;
  /** In any letter case. */
  readonly address: string;
  /** A decimal number. */
  readonly chainId: string;
  /** Signs as `personal_sign` does: 65 bytes, `0x…`. */
  readonly signText: (text: string) => Promise<string>;
}

/** How long the gateway accepts a signature, in milliseconds. */
export const signatureMs = 5 * 60_000;

/**
 * Signs a value for `SIGN-IN-WITH-X`: the base64 of an EIP-4361 message as fields, with its signature.
 *
 * @param path what is asked for with it. @default a connection of the page
 */
export async function signIn(signer: Signer, path = '/graphql'): Promise<string> {
  const now = new Date();
  const fields = {
    domain: location.hostname,
    address: checksumAddress(signer.address),
    statement: 'Open the console. The signature is good for one connection.',
    uri: location.origin + path,
    version: '1',
    chainId: `eip155:${signer.chainId}`,
    type: 'eip191',
    nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: now.toISOString(),
    expirationTime: new Date(now.getTime() + signatureMs).toISOString(),
  };
  const text = [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${signer.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expirationTime}`,
  ].join('\n');
  const signature = evenV(await signer.signText(text));
  // The text is all ASCII, so `btoa` accepts it.
  return btoa(JSON.stringify({ ...fields, signature }));
}

/** Some wallets end a signature with 0 or 1 instead of 27 or 28. */
function evenV(signature: string): string {
  const last = Number.parseInt(signature.slice(-2), 16);
  return last < 27 ? signature.slice(0, -2) + (last + 27).toString(16) : signature;
}

/** Encodes a text as the hex that wallets expect. */
export const hexOf = (text: string): string => `0x${bytesToHex(utf8ToBytes(text))}`;
