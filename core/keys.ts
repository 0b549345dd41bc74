import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What a key is for. A new purpose is a new key: no two uses share one. */
export type KeyPurpose =
  | 'project-keys'
  | 'cursors'
  | 'database-passwords'
  | 'session-tokens'
  | 'stored-outcomes'
  | 'user-token-keys'
  | 'refresh-tokens'
  | 'one-time-codes'
  | 'social-sign-in'
  | 'settlement'
  | 'licences'
  | 'payments'
  | 'lightning-invoices'
  | 'backups'
  | 'backup-secrets'
  | 'content-uploads'
  | 'project-secrets'
  | 'asset-urls'
  | 'acme-accounts'
  | 'host-certificates'
  | 'mail-return-paths'
  | 'dkim-keys'
  | 'notice-secrets'
  | 'signer-keys'
  | 'channel-keys'
  | 'fingerprint';

/** AES-256-GCM nonce, in bytes. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Every secret of the gateway, derived from one root of 32 bytes by HKDF-SHA-256. A previous root stays readable while
 * it is being rotated out: what is made uses the current root, what is checked may use either.
 */
export class KeyRing {
  readonly #roots: readonly Buffer[];
  readonly #derived = new Map<string, Buffer>();
  /**
   * Names the epoch of the installation: cursors of feeds from another one are not good. Empty until positions are given
   * out again for the first time. See `db/feed-epoch.ts`.
   */
  feedEpoch = '';

  /** @param roots current root first, then the previous one if there is one; 32 bytes each */
  constructor(...roots: readonly Buffer[]) {
    for (const root of roots) if (root.length !== 32) throw new Error('A root secret has exactly 32 bytes.');
    if (roots.length === 0) throw new Error('A key ring needs a root secret.');
    this.#roots = roots;
  }

  /** The 32-byte key of a purpose under the current root. */
  key(purpose: KeyPurpose): Buffer {
    return this.#key(purpose, 0);
  }

  /** The keys of a purpose under every root, current first: for checking what an earlier root made. */
  keys(purpose: KeyPurpose): readonly Buffer[] {
    return this.#roots.map((_, index) => this.#key(purpose, index));
  }

  #key(purpose: KeyPurpose, index: number): Buffer {
    const name = `${index}:${purpose}`;
    let key = this.#derived.get(name);
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.#roots[index]!, 'svc-gateway', purpose, 32));
      this.#derived.set(name, key);
    }
    return key;
  }

  /** HMAC-SHA-256 of the parts under the current root. */
  mac(purpose: KeyPurpose, data: string | Uint8Array): Buffer {
    return createHmac('sha256', this.key(purpose)).update(data).digest();
  }

  /** {@link mac} under every root, current first: for finding what an earlier root made. */
  macs(purpose: KeyPurpose, data: string | Uint8Array): readonly Buffer[] {
    return this.keys(purpose).map((key) => createHmac('sha256', key).update(data).digest());
  }

  /** Whether `mac`, which may be cut to its first bytes, is one that any of the roots would have made. */
  verifyMac(purpose: KeyPurpose, data: string | Uint8Array, mac: Uint8Array): boolean {
    return this.keys(purpose).some((key) =>
      timingSafeEqual(createHmac('sha256', key).update(data).digest().subarray(0, mac.length), mac),
    );
  }

  /** Encrypts with AES-256-GCM; `context` must be given again to open. Result: nonce, tag, ciphertext. */
  seal(purpose: KeyPurpose, plain: Uint8Array, context: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  /** Opens what {@link seal} made under any of the roots. @throws when it was changed or made with another context. */
  open(purpose: KeyPurpose, sealed: Uint8Array, context: string): Buffer {
    const bytes = Buffer.from(sealed);
    const nonce = bytes.subarray(0, nonceBytes);
    const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
    let failure: unknown;
    for (const key of this.keys(purpose)) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context)).setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Names the roots without giving anything away: what the control database keeps to refuse a node with another root. */
  fingerprints(): readonly string[] {
    return this.keys('fingerprint').map((key) => createHash('sha256').update(key).digest('hex').slice(0, 32));
  }
}

/** SHA-256, in hex: how opaque tokens are stored. */
export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Compares two secrets of any length without telling by time where they differ. */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(createHash('sha256').update(left).digest(), createHash('sha256').update(right).digest());
}
