import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint } from 'jose';

/** Ed25519 keys that things are signed with. */
export interface SignerKeys {
  /** The private key. */
  readonly current: KeyObject;
  /** Public keys of earlier signatures, which stay published. */
  readonly older: readonly KeyObject[];
}

/** A public key as it is published. */
export interface PublishedKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** Signs what anybody can check offline. Ed25519 is deterministic: the same text under the same key is the same signature. */
export interface Signer {
  /** RFC 7638 thumbprint of the current key. */
  readonly kid: string;
  /** The current key, then older ones. */
  readonly published: readonly PublishedKey[];
  /**
   * A compact JWS.
   *
   * @param typ what kind of text it is, so that one kind is never taken for another
   */
  readonly sign: (typ: string, payload: string) => Promise<string>;
}

/** The only algorithm: a verifier needs a list of exactly one. */
const alg = 'EdDSA';

export async function createSigner({ current, older }: SignerKeys): Promise<Signer> {
  const own = await publishedKey(createPublicKey(current));
  const others = await Promise.all(older.map(publishedKey));
  return {
    kid: own.kid,
    published: [own, ...others.filter(({ kid }) => kid !== own.kid)],
    sign: (typ, payload) =>
      new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg, typ, kid: own.kid }).sign(current),
  };
}

async function publishedKey(key: KeyObject): Promise<PublishedKey> {
  const { x } = key.export({ format: 'jwk' }) as JsonWebKey;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: x! } as const;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}
