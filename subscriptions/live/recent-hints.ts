import type { LiveHint } from '../../resolvers/live/live-hub.ts';
import { type LivePosition, samePosition } from './live-position.ts';
import type { StoredHint } from './live-store.ts';

/** Hints as they are stored and as followers get them. */
export interface PublishedHints {
  readonly stored: readonly StoredHint[];
  readonly told: readonly LiveHint[];
}

/** What one read brought. */
interface Reading extends PublishedHints {
  readonly before: LivePosition;
  /** Where a reader is after each hint. */
  readonly steps: readonly LivePosition[];
}

/** Most that is remembered of one project: readings, hints, and text of their keys. Thousands may be followed at once. */
const readingsMax = 50;
const hintsMax = 200;
const textMax = 32_768;

/**
 * What was read of late, without a gap. A client that polls comes back by a cursor that was given out a moment ago, and is told
 * what came since without a statement of its own.
 */
export class RecentHints {
  #readings: Reading[] = [];
  #hints = 0;
  #text = 0;

  /** @param reading begins where the last one ended */
  add(reading: Reading): void {
    this.#readings.push(reading);
    this.#count(reading, 1);
    while (this.#readings.length > readingsMax || this.#hints > hintsMax || this.#text > textMax)
      this.#count(this.#readings.shift()!, -1);
  }

  clear(): void {
    this.#readings = [];
    this.#hints = this.#text = 0;
  }

  /** What came after a position; undefined when that is not known here. */
  since(position: LivePosition): PublishedHints | undefined {
    for (let at = this.#readings.length - 1; at >= 0; at--) {
      const told = publishedBefore(this.#readings[at]!, position);
      if (told === undefined) continue;
      const [first, ...later] = this.#readings.slice(at);
      return {
        stored: [...first!.stored.slice(told), ...later.flatMap(({ stored }) => stored)],
        told: [...first!.told.slice(told), ...later.flatMap((reading) => reading.told)],
      };
    }
    return undefined;
  }

  #count({ stored }: Reading, sign: 1 | -1): void {
    this.#hints += sign * stored.length;
    for (const { pk } of stored) this.#text += sign * (pk?.length ?? 0);
  }
}

/** How many hints of a reading a position has got. */
function publishedBefore({ before, steps }: Reading, position: LivePosition): number | undefined {
  if (samePosition(before, position)) return 0;
  // In the middle of it: what is after its last hint is where the next one begins.
  if (position.within === undefined) return undefined;
  const at = steps.findIndex((step) => samePosition(step, position));
  return at < 0 ? undefined : at + 1;
}
