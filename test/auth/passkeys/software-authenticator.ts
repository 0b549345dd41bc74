import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** CBOR, as far as an authenticator needs it. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((pair) => pair.map(cbor))]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (data: Buffer) => data.toString('base64url');
const flag = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 };

/** What is done otherwise than a browser and an authenticator would. */
export interface Deviation {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  /** Whether a page of another origin has the app in a frame. @default false */
  readonly crossOrigin?: boolean;
  /** Whether the user was verified. @default true */
  readonly verified?: boolean;
  /** Whether anybody was there. @default true */
  readonly present?: boolean;
  readonly signCount?: number;
  readonly userHandle?: string | null;
  /** Changes the answer when it is done. */
  readonly tamper?: (response: Record<string, string>) => Record<string, string>;
}

export interface NewDeviation extends Deviation {
  /** The attestation. @default `none` */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<unknown, unknown> };
  /** The COSE algorithm that the key says it is for. @default ES256 */
  readonly algorithm?: number;
  readonly transports?: readonly string[];
}

interface Asked {
  readonly challenge_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: standard WebAuthn JSON.
  readonly options: any;
}

/** A passkey in software: an ES256 key that signs as an authenticator would, and counts. */
export class SoftwareAuthenticator {
  readonly credentialId: Buffer = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  userHandle: string | undefined;
  /** Authenticators that are synchronised count nothing: theirs stays 0. */
  signCount: number;
  readonly #origin: string;

  /** @param signCount 0 for one that does not count */
  constructor(origin: string, { signCount = 0 }: { readonly signCount?: number } = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    this.#origin = origin;
    this.signCount = signCount;
  }

  get id(): string {
    return text(this.credentialId);
  }

  /** Answers the options of a registration. */
  create({ challenge_id, options }: Asked, deviation: NewDeviation = {}) {
    this.userHandle = options.user.id;
    const { x, y } = this.#publicKey.export({ format: 'jwk' });
    const key = new Map<unknown, unknown>([
      [1, 2],
      [3, deviation.algorithm ?? -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]);
    const length = Buffer.from([0, this.credentialId.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cbor(key)]);
    const authData = Buffer.concat([this.#authData(options.rp.id, deviation, flag.attested), attested]);
    const { fmt, attStmt } = deviation.attestation ?? { fmt: 'none', attStmt: new Map() };
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, deviation);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientDataJSON)]), this.#privateKey);
    const statement = fmt === 'packed' ? new Map([['alg', -7], ['sig', signature], ...attStmt]) : attStmt;
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    const response = { clientDataJSON: text(clientDataJSON), attestationObject: text(cbor(attestation)) };
    const tampered = deviation.tamper?.(response) ?? response;
    return {
      challenge_id,
      response: this.#credential({ ...tampered, transports: deviation.transports ?? ['internal', 'hybrid'] }),
    };
  }

  /** Answers the options of a sign-in. */
  get({ challenge_id, options }: Asked, deviation: Deviation = {}) {
    if (this.signCount > 0) this.signCount += 1;
    const authData = this.#authData(options.rpId, deviation, 0);
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, deviation);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientDataJSON)]), this.#privateKey);
    const userHandle = deviation.userHandle === undefined ? this.userHandle : deviation.userHandle;
    const response = {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authData),
      signature: text(signature),
    };
    const tampered = deviation.tamper?.(response) ?? response;
    return { challenge_id, response: this.#credential({ ...tampered, userHandle }) };
  }

  #credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #authData(
    rpId: string,
    { rpId: other, verified = true, present = true, signCount }: Deviation,
    more: number,
  ): Buffer {
    const flags = (present ? flag.present : 0) | (verified ? flag.verified : 0) | flag.backupEligible | flag.backedUp;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(signCount ?? this.signCount);
    return Buffer.concat([sha256(other ?? rpId), Buffer.from([flags | more]), count]);
  }

  #clientData(type: string, asked: string, { challenge = asked, origin = this.#origin, ...more }: Deviation): Buffer {
    const crossOrigin = more.crossOrigin ?? false;
    return Buffer.from(JSON.stringify({ type: more.type ?? type, challenge, origin, crossOrigin }));
  }
}
