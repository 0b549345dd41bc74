import type { ServerResponse } from 'node:http';
import { ServiceError } from './errors.ts';

export interface ResponseBackpressureOptions {
  /** Most bytes that wait for the readers of one project, or of one network where the project is unknown. @default 48 MiB */
  readonly perProject?: number;
  /** Most bytes that wait for readers together. @default 96 MiB */
  readonly max?: number;
  /** An answer of which nothing was taken for so long is cut, in milliseconds. @default 30_000 */
  readonly stallMs?: number;
}

/** Smaller answers than this are not counted: what the system takes of them at once is about as much, in bytes. */
const countedFrom = 256 * 1024;

/**
 * Large answers that their readers have not taken yet. They hold no connection of a project's, but memory of this
 * process: so they are counted, and who takes nothing of one is not waited for.
 */
export class ResponseBackpressure {
  readonly #options: Required<ResponseBackpressureOptions>;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(options: ResponseBackpressureOptions = {}) {
    this.#options = { perProject: 48 * 1024 * 1024, max: 96 * 1024 * 1024, stallMs: 30_000, ...options };
  }

  /** Bytes that wait now. */
  get bytes(): number {
    return this.#all;
  }

  /**
   * To be asked before what cannot be refused any more once it is done, and may answer much.
   *
   * @throws RATE_LIMITED while there are as many bytes as may be
   */
  refuseWhileFull(owner: string): void {
    const { perProject, max } = this.#options;
    if ((this.#held.get(owner) ?? 0) >= perProject || this.#all >= max) throw this.#full();
  }

  /**
   * Counts an answer that is about to be sent, until it is taken or its reader has gone.
   *
   * @param mayRefuse that it was not given does no harm: nothing was changed
   * @throws RATE_LIMITED when there are as many bytes as may be
   */
  hold(owner: string, response: ServerResponse, bytes: number, mayRefuse: boolean): void {
    if (bytes < countedFrom) return;
    const { perProject, max, stallMs } = this.#options;
    const held = this.#held.get(owner) ?? 0;
    if (mayRefuse && (held + bytes > perProject || this.#all + bytes > max)) throw this.#full();
    response.once('close', this.count(owner, bytes));
    // Taken up anew by Node whenever some of it has left.
    response.setTimeout(stallMs, () => response.destroy());
  }

  /** Counts what is sent where nothing can be refused or cut, such as on a socket. @returns counts it no more */
  count(owner: string, bytes: number): () => void {
    if (bytes < countedFrom) return () => undefined;
    this.#add(owner, bytes);
    return () => this.#add(owner, -bytes);
  }

  #full(): ServiceError {
    return new ServiceError('RATE_LIMITED', {
      message: 'Too many large answers are waiting to be read.',
      retryAfter: 1,
      details: { retry_after: 1, limit_bytes: this.#options.perProject },
    });
  }

  #add(owner: string, bytes: number): void {
    this.#all += bytes;
    const left = (this.#held.get(owner) ?? 0) + bytes;
    if (left === 0) this.#held.delete(owner);
    else this.#held.set(owner, left);
  }
}
