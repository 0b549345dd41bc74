import type { ContentBytes } from './content-file.ts';

/** Takes bytes a piece at a time, which the platform's `crypto.subtle` does not. */
export interface Hashing {
  readonly update: (bytes: Uint8Array) => void;
  /** Ends it. */
  readonly digest: () => Uint8Array;
}

interface NodeCrypto {
  readonly createHash: (name: 'sha256') => { update(bytes: Uint8Array): unknown; digest(): Uint8Array };
}

/** SHA-256 by the platform where it hashes piece by piece, as Node.js, Deno and Bun do, else by the code below. */
export function sha256(): Hashing {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
  };
  const native = process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined;
  if (native === undefined) return hashing();
  const hash = native.createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
}

/** The first 32 bits behind the point of a root: where the constants of SHA-256 come from. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;

const primes = (() => {
  const found: number[] = [];
  for (let one = 2; found.length < 64; one++) if (found.every((prime) => one % prime !== 0)) found.push(one);
  return found;
})();

const roundConstants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** For browsers: FIPS 180-4, section 6.2. */
export function hashing(): Hashing {
  const state = Int32Array.from(initial);
  const words = new Int32Array(64);
  const block = new Uint8Array(64);
  let length = 0;

  function mix(bytes: Uint8Array, from: number): void {
    for (let at = 0; at < 16; at++) {
      const byte = from + at * 4;
      words[at] = (bytes[byte]! << 24) | (bytes[byte + 1]! << 16) | (bytes[byte + 2]! << 8) | bytes[byte + 3]!;
    }
    for (let at = 16; at < 64; at++) {
      const [x, y] = [words[at - 15]!, words[at - 2]!];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[at] = (words[at - 16]! + s0 + words[at - 7]! + s1) | 0;
    }
    let a = state[0]!;
    let b = state[1]!;
    let c = state[2]!;
    let d = state[3]!;
    let e = state[4]!;
    let f = state[5]!;
    let g = state[6]!;
    let h = state[7]!;
    for (let at = 0; at < 64; at++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[at]! + words[at]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at]! + value) | 0;
  }

  function update(bytes: Uint8Array): void {
    let at = 0;
    const filled = length % 64;
    length += bytes.length;
    if (filled > 0) {
      at = Math.min(64 - filled, bytes.length);
      block.set(bytes.subarray(0, at), filled);
      if (filled + at < 64) return;
      mix(block, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) mix(bytes, at);
    block.set(bytes.subarray(at));
  }

  function digest(): Uint8Array {
    const bits = length * 8;
    const end = new Uint8Array((length % 64 < 56 ? 56 : 120) - (length % 64) + 8);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits % 2 ** 32);
    update(end);
    const told = new DataView(new ArrayBuffer(32));
    for (const [at, word] of state.entries()) told.setInt32(at * 4, word);
    return new Uint8Array(told.buffer);
  }

  return { update, digest };
}

/** The SHA-256 of all bytes that a stream gives. */
export async function sha256Of(
  bytes: Pick<ContentBytes, 'stream'>,
  onBytes: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const hash = sha256();
  const reader = bytes.stream().getReader();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return hash.digest();
      hash.update(value);
      onBytes(value.length);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export const base64Of = (digest: Uint8Array): string => btoa(String.fromCharCode(...digest));
