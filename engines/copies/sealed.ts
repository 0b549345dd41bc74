import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';

/** Some 128 MiB and a third of a second for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const;
const maxmem = 256 * 1024 * 1024;

const base64 = z.base64();

/** A text that is encrypted by AES-256-GCM, under a passphrase (scrypt) or a key. */
export const sealedShape = z.object({
  by: z.enum(['passphrase', 'root']),
  salt: base64,
  nonce: base64,
  tag: base64,
  body: base64,
});
export type Sealed = z.infer<typeof sealedShape>;

/** What opens a sealed text. */
export type Opener = { readonly passphrase: string } | { readonly key: Buffer };

function keyOf(opener: Opener, salt: Buffer): Promise<Buffer> {
  if ('key' in opener) return Promise.resolve(opener.key);
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error === null ? resolve(key) : reject(error));
    scrypt(opener.passphrase.normalize('NFC'), salt, 32, { ...cost, maxmem }, done);
  });
}

/** Encrypts a text. @param context must be the same when it is opened */
export async function seal(text: string, opener: Opener, context: string): Promise<Sealed> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', await keyOf(opener, salt), nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    by: 'key' in opener ? 'root' : 'passphrase',
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    body: body.toString('base64'),
  };
}

/** @returns undefined when the passphrase or key is another one */
export async function unseal(sealed: Sealed, opener: Opener, context: string): Promise<string | undefined> {
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const key = await keyOf(opener, bytes(sealed.salt));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(sealed.nonce), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes(sealed.tag));
    return Buffer.concat([decipher.update(bytes(sealed.body)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
