import { ProjectPoolBusyError } from './project-pool-busy.ts';

/** As which of a project's callers a batch runs; left out, it is the platform's own or the project's service. */
export type Caller = 'anon' | 'authenticated';

/** Longest a batch of such a caller may take, in milliseconds. */
export const callerMs: Readonly<Record<Caller, number>> = { anon: 3_000, authenticated: 8_000 };

interface Waiter {
  readonly caller: Caller;
  readonly serve: () => void;
}

/**
 * How many of a project's connections its callers keep at once. A public key is anybody's: all who have nothing else
 * leave some connections to those who signed in, and both leave one to the project's own service.
 */
export class RoleTurns {
  readonly #most: Readonly<Record<Caller, number>>;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiter>();
  #anon = 0;
  #all = 0;

  /** @param connections those of the project. @param waitMs how long a turn is waited for, in milliseconds */
  constructor(connections: number, waitMs: number) {
    this.#most = {
      anon: Math.max(1, Math.floor((connections * 5) / 8)),
      authenticated: Math.max(1, connections - 1),
    };
    this.#waitMs = waitMs;
  }

  /** Takes a turn that is free. @returns gives it back; undefined where none is free */
  tryTake(caller: Caller): (() => void) | undefined {
    if (!this.#isFree(caller)) return undefined;
    this.#count(caller, 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#count(caller, -1);
      this.#serve();
    };
  }

  /** Waits for a turn. @returns gives it back @throws ProjectPoolBusyError */
  take(caller: Caller): Promise<() => void> {
    const now = this.tryTake(caller);
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        caller,
        serve: () => {
          clearTimeout(patience);
          resolve(this.tryTake(caller)!);
        },
      };
      const patience = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(new ProjectPoolBusyError('No connection to the project came free in time.'));
      }, this.#waitMs);
      this.#waiting.add(waiter);
    });
  }

  #isFree(caller: Caller): boolean {
    return this.#all < this.#most.authenticated && (caller === 'authenticated' || this.#anon < this.#most.anon);
  }

  #count(caller: Caller, change: 1 | -1): void {
    this.#all += change;
    if (caller === 'anon') this.#anon += change;
  }

  /** Those who wait longest come first, but for a line of strangers that cannot be served. */
  #serve(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree(waiter.caller)) continue;
      this.#waiting.delete(waiter);
      waiter.serve();
    }
  }
}
