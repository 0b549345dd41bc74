import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** A key that mail of one domain is signed with (RFC 6376). */
export interface DkimKey {
  /** The public half, base64 of its SubjectPublicKeyInfo, as the record of the domain has it. */
  readonly publicKey: string;
  /** The private half, PKCS #8 in PEM. */
  readonly privateKey: string;
}

/** What a mail is signed with. */
export interface MailSignature {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

const generate = promisify(generateKeyPair);

/** A new RSA key of 2048 bits: the longest that every receiver takes. RFC 8301, section 3.2. */
export async function makeDkimKey(): Promise<DkimKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: publicKey.toString('base64'), privateKey };
}

/** Where the record of a domain's key stands, before `._domainkey.` and the domain. @param token of the domain in its project */
export const dkimSelector = (token: string): string => `svc${token.slice(0, 10)}`;

/** The record that names a key. */
export const dkimRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

/**
 * How the texts at the name of a key stand to it. More than one text leaves receivers to choose, and what a panel has put
 * quotes around is no record: both are conflicts, like another key.
 */
export function dkimSeen(texts: readonly string[], publicKey: string): 'missing' | 'present' | 'conflict' {
  const [text, ...more] = texts;
  if (text === undefined) return 'missing';
  return more.length === 0 && holdsKey(text, publicKey) ? 'present' : 'conflict';
}

/** Tags and their values; blanks mean nothing within a key. RFC 6376, section 3.6.1. */
function holdsKey(text: string, publicKey: string): boolean {
  const tags = new Map(
    text.split(';').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).replaceAll(/\s/g, '')] as const;
    }),
  );
  const version = tags.get('v');
  return tags.get('p') === publicKey && (version === undefined || version === 'DKIM1');
}
