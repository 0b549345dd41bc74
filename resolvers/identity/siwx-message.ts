import { z } from 'zod';

// Characters a reader may see as the end of a line (UAX 18, RL1.6). Inside one field they would let a signed text be
// cut into fields in more than one way, or show a wallet's owner lines that are not there.
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

// A lone surrogate is hashed as U+FFFD, so two different strings would share one signature.
const isLine = (text: string) => !lineBreak.test(text) && text.isWellFormed();
const line = z.string().refine(isLine);
const time = z.iso.datetime({ offset: true }).refine((text) => !Number.isNaN(Date.parse(text)));

/** What a `SIGN-IN-WITH-X` header carries, as strings: the signed text is rebuilt from them letter by letter. */
export const SiwxMessage = z.object({
  domain: line.min(1),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  statement: line,
  uri: line.regex(/^https?:\/\/\S+$/),
  version: z.literal('1'),
  /** CAIP-2. No leading zero: the number stands in the text as it is written here. */
  chainId: z.string().regex(/^eip155:[1-9]\d{0,31}$/),
  type: z.literal('eip191'),
  nonce: z.string().regex(/^[A-Za-z0-9]{8,128}$/),
  issuedAt: time,
  expirationTime: time.optional(),
  resources: z.array(line).optional(),
  signature: z.string().regex(/^0x[0-9a-fA-F]{128}1[bBcC]$/),
});
export type SiwxMessage = z.output<typeof SiwxMessage>;

/** The text a wallet signs (EIP-4361): contract 01, section 1.6. An empty statement keeps its line. */
export function siwxText(message: Omit<SiwxMessage, 'signature' | 'type'>): string {
  const {
    domain,
    address,
    statement,
    uri,
    version,
    chainId,
    nonce,
    issuedAt,
    expirationTime,
    resources = [],
  } = message;
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId.slice('eip155:'.length)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...(expirationTime === undefined ? [] : [`Expiration Time: ${expirationTime}`]),
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
}
