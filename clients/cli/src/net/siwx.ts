import { randomBytes } from 'node:crypto';
import type { Wallet } from '../files/wallets.ts';
import { signText } from './signing.ts';

/** How long a signature is good for. */
const lifeMs = 5 * 60_000;

interface SiwxOptions {
  /** @default 32 fresh hexadecimal characters */
  readonly nonce?: string;
}

/** A fresh value of the header `SIGN-IN-WITH-X` for one request. Contract 04, section 0.2. */
export function siwxHeader(
  wallet: Wallet,
  url: URL,
  { nonce = randomBytes(16).toString('hex') }: SiwxOptions = {},
): string {
  const now = Date.now();
  const fields = {
    domain: url.hostname,
    address: wallet.address,
    statement: 'Sign in to the gateway.',
    uri: url.origin + url.pathname,
    version: '1',
    chainId: 'eip155:84532',
    type: 'eip191',
    nonce,
    issuedAt: new Date(now).toISOString(),
    expirationTime: new Date(now + lifeMs).toISOString(),
  };
  const text = [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    fields.statement,
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId.slice('eip155:'.length)}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    `Expiration Time: ${fields.expirationTime}`,
  ].join('\n');
  return Buffer.from(JSON.stringify({ ...fields, signature: signText(wallet.privateKey, text) })).toString('base64');
}
