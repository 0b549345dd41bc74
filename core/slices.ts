/** Long work of the processor; each `yield` is a place where other work may come between. */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>;

export interface SlicesOptions {
  /** Length of a slice, in milliseconds; a step that has begun is finished. @default 4 */
  readonly sliceMs?: number;
  /** The clock, in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/**
 * Runs sliced work without holding up the event loop: one slice in each of its turns, however much work there is. Works
 * take turns, so a small one does not wait for the end of a large one.
 */
export class Slices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  /** Each runs until a moment, and says whether its work is done. */
  readonly #waiting: ((until: number) => boolean)[] = [];

  constructor({ sliceMs = 4, now = () => performance.now() }: SlicesOptions = {}) {
    this.#sliceMs = sliceMs;
    this.#now = now;
  }

  /** The result of the work. The first slice runs in a later turn of the event loop. */
  run<Result>(work: SlicedWork<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push((until) => {
        try {
          do {
            const step = work.next();
            if (step.done === true) {
              resolve(step.value);
              return true;
            }
          } while (this.#now() < until);
          return false;
        } catch (error) {
          reject(error);
          return true;
        }
      });
      if (this.#waiting.length === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    const slice = this.#waiting[0]!;
    const isDone = slice(this.#now() + this.#sliceMs);
    this.#waiting.shift();
    if (!isDone) this.#waiting.push(slice);
    if (this.#waiting.length > 0) setImmediate(this.#turn);
  };
}
