import type { KeyRing } from '../../core/keys.ts';
import type { LiveBatch, LiveHint } from '../../resolvers/live/live-hub.ts';
import { frameOf } from './live-frames.ts';
import { type LivePosition, liveCursor } from './live-position.ts';
import type { StoredHint } from './live-store.ts';

/** A hint whose cursor is sealed when the first asks for it; a class, for the reason that `SealedRow` gives. */
class PublishedHint implements LiveHint {
  readonly table: string;
  readonly op: LiveHint['op'];
  readonly pk: string | null;
  readonly n: number;
  readonly #seal: (step: LivePosition) => string;
  readonly #step: LivePosition;
  #cursor: string | undefined;

  constructor({ table, op, pk, n }: StoredHint, step: LivePosition, seal: (step: LivePosition) => string) {
    this.table = table;
    this.op = op;
    this.pk = pk;
    this.n = n;
    this.#step = step;
    this.#seal = seal;
  }

  get cursor(): string {
    this.#cursor ??= this.#seal(this.#step);
    return this.#cursor;
  }
}

/** Hints as followers get them, with their cursors. */
export function tell(
  keys: KeyRing,
  projectId: string,
  hints: readonly StoredHint[],
  steps: readonly LivePosition[],
): LiveHint[] {
  const seal = (step: LivePosition) => liveCursor(keys, projectId, step);
  return hints.map((hint, at) => new PublishedHint(hint, steps[at]!, seal));
}

/** Hints that are due together, and their frames, which are written when the first asks for them. */
export class HintBatch implements LiveBatch {
  readonly hints: readonly LiveHint[];
  #frames: Buffer | undefined;
  #size: number | undefined;

  constructor(hints: readonly LiveHint[]) {
    this.hints = hints;
  }

  /** About how much memory the hints take, in bytes. */
  get size(): number {
    this.#size ??= sizeOf(this.hints);
    return this.#size;
  }

  get frames(): Buffer {
    this.#frames ??= Buffer.from(this.hints.map(frameOf).join(''));
    return this.#frames;
  }
}

/** What a hint takes beside its keys, in bytes. */
const hintSize = 256;

/** About how much memory hints take while they wait, in bytes. */
export const sizeOf = (hints: readonly LiveHint[]): number =>
  hints.reduce((sum, { pk }) => sum + hintSize + (pk?.length ?? 0), 0);
