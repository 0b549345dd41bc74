import { ServiceError } from '../../core/errors.ts';

export interface VisitTurnsOptions {
  /** Visits at once. */
  readonly most: number;
  /** Callers that may wait for one to end. */
  readonly waitingMax: number;
  /** Longest that one waits, in milliseconds. */
  readonly waitMs: number;
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
  readonly patience: NodeJS.Timeout;
}

/** Lets so many visits happen at once; the others wait in the order in which they came, and not for ever. */
export class VisitTurns {
  readonly #options: VisitTurnsOptions;
  readonly #waiting = new Set<Waiter>();
  #taken = 0;
  #closed = false;

  constructor(options: VisitTurnsOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when it is the caller's turn, who has to {@link leave} then.
   *
   * @param signal ends the wait
   * @throws SERVICE_UNAVAILABLE when too many wait, when the wait was too long, and when nothing is visited any more
   */
  take(signal?: AbortSignal): Promise<void> {
    const { most, waitingMax, waitMs } = this.#options;
    if (this.#closed || signal?.aborted === true || this.#waiting.size >= waitingMax) return Promise.reject(tooBusy());
    if (this.#taken < most) {
      this.#taken += 1;
      return Promise.resolve();
    }
    return new Promise((admit, refuse) => {
      const giveUp = () => {
        this.#waiting.delete(waiter);
        clearTimeout(patience);
        refuse(tooBusy());
      };
      const patience = setTimeout(giveUp, waitMs).unref();
      const waiter: Waiter = { admit, refuse, patience };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Hands the caller's place over, so that no later caller overtakes. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.patience);
    next.admit();
  }

  /** Refuses all who wait and all who come. */
  close(): void {
    this.#closed = true;
    for (const { patience, refuse } of this.#waiting) {
      clearTimeout(patience);
      refuse(tooBusy());
    }
    this.#waiting.clear();
  }
}

/** More audits are asked for than can be made in bearable time. */
export const tooBusy = () =>
  new ServiceError('SERVICE_UNAVAILABLE', { message: 'Too many audits wait.', retryAfter: 10 });
