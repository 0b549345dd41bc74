/** How many calls of a project run and wait. */
export interface TurnLimits {
  readonly running: number;
  readonly waiting: number;
}

/** As many calls of the project wait as may: this one was not begun. */
export class TurnsTakenError extends Error {
  override readonly name = 'TurnsTakenError';
}

interface Waiting {
  readonly begin: () => void;
}

interface Queue {
  running: number;
  readonly waiting: Waiting[];
}

/** Gives the calls of each project their turns, first come, first served. No project waits for another one. */
export class CallTurns {
  readonly #limits: TurnLimits;
  readonly #queues = new Map<string, Queue>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for the turn of a call.
   *
   * @returns what ends it; to be called once
   * @throws TurnsTakenError, and the signal's reason when the caller has gone meanwhile
   */
  async take(projectId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const queue = this.#queues.get(projectId) ?? { running: 0, waiting: [] };
    this.#queues.set(projectId, queue);
    if (queue.running >= this.#limits.running) await this.#wait(queue, signal);
    else queue.running += 1;
    return () => this.#end(projectId, queue);
  }

  #wait({ waiting }: Queue, signal: AbortSignal): Promise<void> {
    if (waiting.length >= this.#limits.waiting) throw new TurnsTakenError('Too many calls of the project wait.');
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal.reason);
      };
      const mine: Waiting = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(mine);
    });
  }

  /** The turn passes to the call that has waited longest. */
  #end(projectId: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next !== undefined) next.begin();
    else queue.running -= 1;
    if (queue.running === 0) this.#queues.delete(projectId);
  }
}
