import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Longest wait for requests, jobs and whatever else is under way, in milliseconds; each has less than that for itself. */
const drainedMs = 4_200;

/** Longest the closing of everything else may take together, in milliseconds; a statement without an answer may hang. */
const closeMs = 1_000;

export interface LifecycleOptions {
  readonly log: Logger;
  /** How long requests are still taken after the order to stop, in seconds. */
  readonly drainSeconds: number;
}

/**
 * How a process comes to its end. Its parts say as they start what has to be awaited and what has to be closed: what is
 * under way drains side by side, then everything is closed in the reverse order of its start.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #drains = new Map<string, () => Promise<void>>();
  readonly #closes: (() => unknown)[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Whether the process has been told to stop. */
  get isStopping(): boolean {
    return this.#stopped !== undefined;
  }

  /** @param drain lets what is under way come to its end; it knows its own patience */
  onDrain(name: string, drain: () => Promise<void>): void {
    this.#drains.set(name, drain);
  }

  /** @param close called once everything that was started later is closed */
  onClose(close: () => unknown): void {
    this.#closes.push(close);
  }

  /** Drains, and closes everything; takes five seconds at most beside `drainSeconds`, whatever hangs. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { log, drainSeconds } = this.#options;
    const drained = [...this.#drains].map(async ([name, drain]) => {
      await this.#cleanly(drain);
      this.#drains.delete(name);
    });
    await Promise.race([Promise.all(drained), sleep(drainSeconds * 1000 + drainedMs, undefined, { ref: false })]);
    if (this.#drains.size > 0)
      log.warn({ parts: [...this.#drains.keys()] }, 'Parts of the gateway did not end in time.');
    const closed = (async () => {
      for (const close of this.#closes.reverse()) await this.#cleanly(close);
    })();
    if ((await Promise.race([closed, sleep(closeMs, 'late', { ref: false })])) === 'late')
      log.warn('What is still open is left to the end of the process.');
  }

  async #cleanly(end: () => unknown): Promise<void> {
    try {
      await end();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Something did not close cleanly.');
    }
  }
}
