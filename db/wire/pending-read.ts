import pg from 'pg';

/** What runs for longer holds up nothing that was sent behind it: in milliseconds. */
export const heldUpMs = 250;

/**
 * A read on its way, which may be run twice. Its asker is answered once: by the connection that it was sent on or, when
 * something holds that up, by another.
 */
export abstract class PendingRead<Answer> {
  /** It shares a transaction with others, so it is unknown which of them takes long. */
  isAccompanied = false;
  #isSettled = false;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;

  constructor(resolve: (answer: Answer) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether its asker has an answer, or waits for one elsewhere. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  protected abstract askElsewhere(): Promise<Answer>;

  answer(answer: Answer): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#resolve(answer);
  }

  /** Tells the asker of a failure; what is still to come is thrown away. */
  fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(error);
  }

  /** Asks elsewhere, at most once. Whatever comes of it there is the answer. */
  divert(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.askElsewhere().then(this.#resolve, this.#reject);
  }
}

// The driver's query knows how values are written. By its prototype alone: its constructor makes an emitter and a result
// that stay unused.
Object.setPrototypeOf(PendingRead.prototype, pg.Query.prototype);
