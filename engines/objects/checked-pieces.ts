import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Part } from './object-store.ts';

/** How a part came. */
export interface CheckedOutcome {
  /** SHA-256 in hex of a part that came as it should. */
  readonly sha256?: string;
  readonly refusal?: 'wrong_length' | 'wrong_checksum';
  /** What the sender's side failed with. */
  readonly failure?: unknown;
}

/** Ends a request under way; why, the outcome says. */
class RefusedPieces extends Error {
  override readonly name = 'RefusedPieces';
}

/**
 * The pieces of a part for a store that keeps an object when it has the last of its bytes: the last piece is held back until
 * all of them are known to be right, so that nothing is kept of a wrong one. The body is left as it is when its pieces are
 * not asked for any more, so that its sender can be answered.
 */
export function checkedPieces(part: Part, body: Readable) {
  let outcome: CheckedOutcome | undefined;

  async function* pieces(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let bytes = 0;
    let held: Buffer | undefined;
    const source = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
    try {
      for (;;) {
        const { value, done } = await source.next().catch((failure: unknown) => {
          outcome = { failure };
          throw failure;
        });
        if (done === true) break;
        if (value.length === 0) continue;
        bytes += value.length;
        if (bytes > part.size) break;
        hash.update(value);
        if (held !== undefined) yield held;
        held = value;
      }
    } finally {
      await source.return?.();
    }
    if (bytes !== part.size) refuse('wrong_length');
    const digest = hash.digest();
    if (part.sha256 !== undefined && part.sha256 !== digest.toString('base64')) refuse('wrong_checksum');
    outcome = { sha256: digest.toString('hex') };
    if (held !== undefined) yield held;
  }

  function refuse(refusal: 'wrong_length' | 'wrong_checksum'): never {
    outcome = { refusal };
    throw new RefusedPieces(refusal);
  }

  return {
    pieces: pieces(),
    /** Undefined as long as its end has not been seen. */
    get outcome() {
      return outcome;
    },
  };
}
